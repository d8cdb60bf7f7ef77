"""What every view asks first: who is it, and is it a repeat."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from planmode.access.may import Action, Caller, Owned, caller_of, may, may_by_token
from planmode.access.models import FirstAnswer, Token
from planmode.core.errors import KeyReusedError, NotAllowedError

LONGEST_KEY: Final = 255


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and JSON body of a response."""

    status: int
    body: dict[str, Any]


def token_of(request: Request | HttpRequest) -> Token | None:
    """Return the token that the request was judged by, if any."""
    token = getattr(request, "auth", None)
    return token if isinstance(token, Token) else None


def caller(request: Request | HttpRequest) -> Caller:
    """Return who asks.

    Raises:
        NotAuthenticated: nobody that is known.
    """
    found = caller_of(request.user, token_of(request))
    if found is None:
        raise NotAuthenticated
    return found


def require(request: Request | HttpRequest, action: Action, thing: Owned) -> None:
    """Return quietly when the caller may do ``action`` to ``thing``.

    Raises:
        NotAllowedError: they may not.
    """
    asks = caller(request)
    if not may(asks, action, thing):
        lent = asks.by_token and may(caller_of(request.user), action, thing)
        raise NotAllowedError(_of_token(action) if lent else _of_roles(action))


def _of_roles(action: Action) -> str:
    return f"your roles in this project do not include: {action}"


def _of_token(action: Action) -> str:
    """Return why a token may not do what its owner may."""
    if may_by_token(action):
        return f"this token's scopes do not include: {action}"
    return "a program's token can't do this; its owner can, in the browser"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that shall count once: who sent it, how, under which key, and what it says."""

    user_id: int
    access: str
    key: str
    sha256: str


def answer_once(
    request: Request, act: Callable[[], Answer], *, may_see: Callable[[], object]
) -> Answer:
    """Return what ``act`` answers, or what it answered to the same request before.

    One transaction holds the effect and its answer. ``Idempotency-Key`` is optional, the client's
    own, up to 255 characters, kept for each person and way of access (the browser, or one token);
    a refusal (an exception) is not kept. ``may_see`` is called before an answer is given again, and
    raises when the caller may not see it any more.

    Raises:
        KeyReusedError: the key came before with another method, path or body.
    """
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        with transaction.atomic():
            return act()
    if len(key) > LONGEST_KEY:
        raise KeyReusedError(f"an Idempotency-Key has at most {LONGEST_KEY} characters")
    asked = _Asked(caller(request).user_id, _access(request), key, _sha256(request))
    return _answer_once(asked, act, may_see)


def _access(request: Request) -> str:
    token = token_of(request)
    return "browser" if token is None else f"token {token.pk}"


@transaction.atomic
def _answer_once(asked: _Asked, act: Callable[[], Answer], may_see: Callable[[], object]) -> Answer:
    # The insert is the lock: a second request of the same key waits here until the first ends.
    row, new = FirstAnswer.objects.get_or_create(
        user_id=asked.user_id,
        access=asked.access,
        key=asked.key,
        defaults={"request_sha256": asked.sha256, "status": 0, "body": ""},
    )
    if not new:
        if row.request_sha256 != asked.sha256:
            raise KeyReusedError("send another key for another request")
        may_see()
        return Answer(row.status, json.loads(row.body))
    answer = act()
    FirstAnswer.objects.filter(pk=row.pk).update(status=answer.status, body=json.dumps(answer.body))
    return answer


def _sha256(request: Request) -> str:
    asked = {"method": request.method, "path": request.path, "body": request.data}
    told = json.dumps(asked, sort_keys=True, default=_told)
    return hashlib.sha256(told.encode()).hexdigest()


def _told(file: object) -> dict[str, Any]:
    """Return what a file of form data stands for: its name, type and hash.

    Raises:
        TypeError: it is no such file.
    """
    if not isinstance(file, UploadedFile):
        raise TypeError(f"{type(file).__name__} comes in no body")
    digest = hashlib.sha256()
    for chunk in file.chunks():  # from its beginning
        digest.update(chunk)
    file.seek(0)
    return {"name": file.name, "type": file.content_type, "sha256": digest.hexdigest()}
