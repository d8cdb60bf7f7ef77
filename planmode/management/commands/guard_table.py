"""Prints docs/guard.md: manage.py guard_table."""

from typing import Any

from django.core.management import BaseCommand

from planmode.core.guard_page import page


class Command(BaseCommand):
    """``manage.py guard_table``: the guard's answers as Markdown."""

    help = "Print what the guard answers to each kind of call (docs/guard.md is made by this)."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Print the page."""
        self.stdout.write(page(), ending="")
