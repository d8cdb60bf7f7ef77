#!/usr/bin/env python
"""Django's command line."""

import os
import sys

BAD_USAGE = 2
try:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
except ModuleNotFoundError as missing:
    print(  # noqa: T201 - nothing else is there to say it
        f"This Python has no {missing.name}: "
        "run .venv/bin/python manage.py ..., or make demo first, which installs it.",
        file=sys.stderr,
    )
    sys.exit(BAD_USAGE)

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        print(f"Settings: {error}", file=sys.stderr)  # noqa: T201 - as above
        sys.exit(BAD_USAGE)
