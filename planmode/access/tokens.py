"""Tokens: made once, shown once, kept as a hash."""

import hashlib
import hmac
import secrets
from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from planmode.access.models import Project, Scope, Token

_MARK: Final = "pmt"


def issue(owner: User, project: Project, name: str, *, scopes: frozenset[str]) -> tuple[Token, str]:
    """Return a new token and its secret text, which is not kept anywhere.

    ``scopes`` holds ``submit``, ``read`` or both.
    """
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    token = Token.objects.create(
        owner=owner,
        project=project,
        name=name,
        prefix=prefix,
        sha256=_hash(secret),
        may_submit=Scope.SUBMIT in scopes,
        may_read=Scope.READ in scopes,
    )
    return token, f"{_MARK}_{prefix}_{secret}"


def find(text: str) -> Token | None:
    """Return the living token that ``text`` is, or ``None`` (in the same time for all reasons)."""
    mark, _, rest = text.partition("_")
    prefix, _, secret = rest.partition("_")
    token = Token.objects.alive().select_related("owner").filter(prefix=prefix).first()
    known = token.sha256 if token else _hash("")
    right = hmac.compare_digest(known, _hash(secret))
    if token is None or not right or mark != _MARK:
        return None
    token.used(timezone.now())
    return token


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
