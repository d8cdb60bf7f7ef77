"""Prepares and runs a demo on this machine: manage.py demo."""

import socket
import threading
from collections.abc import Sequence
from datetime import timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError, CommandParser, call_command
from django.db import DatabaseError, connection

from planmode import queries
from reviews.management import checkout, showcase
from reviews.management.addresses import pages_url, port_number, why_not
from reviews.management.installation import DEFAULT_OPERATOR, Login, prepare
from reviews.management.people import BAD_USAGE
from reviews.management.resetting import reset

_ALIVE_WITHIN: Final = timedelta(seconds=6)
_POLL_S: Final = 0.1
_GOODBYE_S: Final = 5.0


class Command(BaseCommand):
    """``manage.py demo``: what ``make demo`` runs; a second run continues with what is there."""

    help = (
        "Prepare a database, people, a workspace and three sessions, and serve them until Ctrl-C."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("--host", default=settings.HOST)
        parser.add_argument("--port", type=port_number, default=settings.PORT)
        parser.add_argument(
            "--prepare", action="store_true", help="make database and people, then stop"
        )
        parser.add_argument("--reset", action="store_true", help="remove what is there, start over")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Prepare, then serve."""
        try:
            self._run(options)
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")

    def _run(self, options: dict[str, Any]) -> None:
        host, port = options["host"], options["port"]
        if not options["prepare"]:
            _require_embedded()
            port = _free_port(host, port)
        if options["reset"]:
            _start_over()
        call_command("migrate", verbosity=0, interactive=False)
        logins = prepare()
        if options["prepare"]:
            self._introduce(logins, "")
            return
        workspace = settings.WORKSPACE_ROOTS[0] / showcase.WORKSPACE
        checkout.copy(settings.BASE_DIR, workspace)
        self._serve(host, port, logins)

    def _serve(self, host: str, port: int, logins: Sequence[Login]) -> None:
        stop = threading.Event()
        guide = threading.Thread(target=self._guide, args=(host, port, logins, stop), name="demo")
        guide.start()
        try:
            call_command("serve", host=host, port=port)
        finally:
            stop.set()
            guide.join(_GOODBYE_S)

    def _guide(self, host: str, port: int, logins: Sequence[Login], stop: threading.Event) -> None:
        """Once the server answers: start the sessions, say where everything is."""
        try:
            while not _answers(host, port):
                if stop.wait(_POLL_S):
                    return
            showcase.start_missing(User.objects.get(username=DEFAULT_OPERATOR))
            self._introduce(logins, pages_url(host, port))
            showcase.send_back(stop)
        finally:
            connection.close()

    def _introduce(self, logins: Sequence[Login], url: str) -> None:
        wide = max(len(login.password) for login in logins)
        lines = [f"  {who.name:<10} {who.password:<{wide}}  {who.does}" for who in logins]
        where = [f"Open {url} and log in as one of these (Ctrl-C stops the demo):"] if url else []
        lines = [*(where or ["Log-ins (user, password):"]), *lines]
        self.stdout.write("\n".join(["", *lines, ""]))
        self.stdout.flush()


def _require_embedded() -> None:
    if not settings.EMBEDDED:
        raise CommandError(
            "the demo is one process; unset REDIS_URL (--prepare works with it)",
            returncode=BAD_USAGE,
        )


def _free_port(host: str, port: int) -> int:
    """Return ``port`` when it is free, any free one for 0.

    Asked first, so that nothing is reset or started in vain.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(why_not(host, port, error), returncode=BAD_USAGE) from error
        return int(probe.getsockname()[1])


def _answers(host: str, port: int) -> bool:
    """Return whether pages are served; a socket that only listens is not enough."""
    where = "127.0.0.1" if host in {"", "0.0.0.0"} else host  # noqa: S104 - recognised, not bound
    asked = HTTPConnection(where, port, timeout=_POLL_S * 10)
    try:
        asked.request("GET", "/login")
        return bool(asked.getresponse().status)
    except (OSError, HTTPException):
        return False
    finally:
        asked.close()


def _start_over() -> None:
    """Empty the data folder, unless it is in use or the data are elsewhere.

    Raises:
        CommandError: one of these.
    """
    if connection.vendor != "sqlite":
        raise CommandError("--reset removes files; unset DATABASE_URL", returncode=BAD_USAGE)
    data_dir = Path(settings.DATA_DIR)
    if (data_dir / "planmode.sqlite3").exists() and _in_use():
        raise CommandError(f"a server uses {data_dir}; stop it first", returncode=BAD_USAGE)
    connection.close()
    reset(data_dir)


def _in_use() -> bool:
    try:
        return bool(queries.workers_seen(_ALIVE_WITHIN))
    except DatabaseError:  # no tables yet, or no database: all the more to start over
        return False
