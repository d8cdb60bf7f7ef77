"""Says what the guard would answer: manage.py judge."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, TextIO

from django.core.management import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from planmode.access.models import Project
from planmode.agent.ground import GroundError
from planmode.agent.inquiry import Question, ask
from planmode.agent.sandbox import Sandbox


class Command(BaseCommand):
    """``manage.py judge``: JSON lines in, one JSON line out for each."""

    help = (
        "Read calls as JSON lines {tool, args, preset, permission_mode, plan, profile, rules, "
        "workspace, plan_file} and print {decision, reason, layer} for each, as the guard would "
        "answer now. Nothing runs. Only tool has to be named."
    )

    stealth_options = ("stdin",)

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument(
            "--project", metavar="NAME", help="with the permission rules of this project"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Answer line by line, each before the next one is read."""
        project, sandbox = _project(options["project"]), Sandbox.probe()
        broken = False
        for line in _lines(options.get("stdin") or sys.stdin):
            answer = _answer(line, project, sandbox)
            broken = broken or "error" in answer
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            self.stdout.flush()
        if broken:
            raise CommandError("some lines are no questions: see their errors", returncode=2)


def _lines(source: TextIO) -> Iterator[str]:
    return (line for line in iter(source.readline, "") if line.strip())


def _project(name: str | None) -> Project:
    if name is None:
        return Project(name="none")
    found = Project.objects.filter(name=name).first()
    if found is None:
        raise CommandError(f"there is no project {name!r}")
    return found


def _answer(line: str, project: Project, sandbox: Sandbox) -> dict[str, str]:
    try:
        return asdict(ask(Question.model_validate_json(line), project, sandbox))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        return {"error": f"{where}: {first['msg']}"}
    except KeyError as error:
        return {"error": f"there is no preset or profile {error}"}
    except (GroundError, OSError) as error:
        return {"error": str(error)}
