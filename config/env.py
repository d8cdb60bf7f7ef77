"""Typed readers for environment variables, loud on nonsense."""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from planmode.shell.policy import Permission, Policy, UnknownPermissionError

POOL: Final = {"min_size": 0, "max_size": 8}
"""Connections that one process keeps to PostgreSQL."""
_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off", ""})


def text(name: str, default: str = "") -> str:
    """Return the variable ``name``, or ``default`` when it is not set."""
    return os.environ.get(name, default)


def boolean(name: str, *, default: bool) -> bool:
    """Return whether ``name`` says yes (1, true, yes, on).

    Raises:
        ImproperlyConfigured: it says neither yes nor no.
    """
    value = os.environ.get(name)
    if value is None:
        return default
    if value.lower() in _YES:
        return True
    if value.lower() in _NO:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: use true or false")


def integer(name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    """Return ``name`` as a whole number of at least ``least``, and at most ``most``.

    Raises:
        ImproperlyConfigured: it is none.
    """
    value = os.environ.get(name, "")
    if not value:
        return default
    number = int(value) if value.isascii() and value.isdigit() else None
    if number is None or number < least or (most is not None and number > most):
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        raise ImproperlyConfigured(f"{name}={value!r}: use a whole number {limits}")
    return number


def choice(name: str, among: tuple[str, ...]) -> str:
    """Return ``name``, one of ``among``; the first of them when it is not set.

    Raises:
        ImproperlyConfigured: it is none of them.
    """
    value = os.environ.get(name, "") or among[0]
    if value not in among:
        raise ImproperlyConfigured(f"{name}={value!r}: use {' or '.join(among)}")
    return value


def path(name: str) -> Path | None:
    """Return the absolute path in ``name``, ``None`` when it is not set.

    Raises:
        ImproperlyConfigured: there is no such file.
    """
    value = os.environ.get(name, "")
    if not value:
        return None
    file = Path(value).absolute()
    if not file.is_file():
        raise ImproperlyConfigured(f"{name}={value!r}: there is no such file")
    return file


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Return the comma-separated items of ``name``, blanks dropped."""
    value = os.environ.get(name)
    if value is None:
        return list(default)
    return [item.strip() for item in value.split(",") if item.strip()]


def shell_policy(name: str) -> Policy:
    """Return the default policy for shell lines, changed by the items of ``name``.

    Raises:
        ImproperlyConfigured: one is no permission, nor one with a dash before it.
    """
    try:
        return Policy.of(words(name))
    except UnknownPermissionError as error:
        known = ", ".join(permission.value for permission in Permission)
        raise ImproperlyConfigured(f"{name} holds {str(error)!r}: use some of {known}") from error


def folders(name: str) -> list[Path]:
    """Return the comma-separated folders of ``name``, with links resolved.

    Raises:
        ImproperlyConfigured: one is relative, or the whole file system.
    """
    found = [(item, Path(item).resolve()) for item in words(name)]
    for item, folder in found:
        if not Path(item).is_absolute() or folder == Path("/"):
            raise ImproperlyConfigured(f"{name} holds {item!r}: name folders as /one, not / itself")
    return [folder for _, folder in found]


def secret(name: str) -> str:
    """Return ``name``, or the first line of the file that ``name``_FILE points to, or nothing.

    Raises:
        ImproperlyConfigured: the file can't be read.
    """
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return os.environ.get(name, "")
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE={path!r}: {error.strerror}") from error
    return lines[0].strip() if lines else ""


def database(name: str, *, embedded: dict[str, Any]) -> dict[str, Any]:
    """Return Django's settings for the database URL in ``name``; ``embedded`` when it is empty.

    Understood: ``postgres://USER:PASSWORD@HOST:PORT/NAME?option=value`` (also postgresql://).

    Raises:
        ImproperlyConfigured: the URL is of another kind.
    """
    value = os.environ.get(name, "")
    if not value:
        return embedded
    url = urlsplit(value)
    if url.scheme not in {"postgres", "postgresql"} or not url.path.strip("/"):
        raise ImproperlyConfigured(f"{name}: use postgres://USER:PASSWORD@HOST:PORT/NAME")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname or "",
        "PORT": str(url.port or ""),
        # Under ASGI a connection lives as long as a request: without a pool each opens its own.
        "OPTIONS": {"pool": POOL, **dict(parse_qsl(url.query))},
    }
