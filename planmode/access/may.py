"""Who may do what: one table, read where it counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q

from planmode.access.models import Membership, Role, Token


class Action(StrEnum):
    """What somebody wants to do."""

    READ_TITLE = "read_title"  # titles and states in lists
    READ_PLAN = "read_plan"  # plan text, revisions, diff, session, events
    HEAR_FEED = "hear_feed"
    DECIDE = "decide"
    DISMISS = "dismiss"
    ANSWER = "answer"  # questions and tool approvals
    START_SESSION = "start_session"
    POST_MESSAGE = "post_message"
    CANCEL_TURN = "cancel_turn"
    READ_AUDIT = "read_audit"
    READ_TELEMETRY = "read_telemetry"


class Reach(StrEnum):
    """On which objects of a project a role may act."""

    PROJECT = "project"
    OWN = "own"  # of sessions that the person owns


TOKEN: Final = "token"  # noqa: S105 - a role's name
"""What an agent token is in the table: not a role that a person could have."""

_READERS: Final[Mapping[str, Reach]] = {
    TOKEN: Reach.OWN,
    Role.REVIEWER: Reach.PROJECT,
    Role.LEAD: Reach.PROJECT,
    Role.OPERATOR: Reach.PROJECT,
    Role.ADMIN: Reach.PROJECT,
}
_DECIDERS: Final[Mapping[str, Reach]] = {Role.REVIEWER: Reach.PROJECT, Role.LEAD: Reach.PROJECT}

TABLE: Final[Mapping[Action, Mapping[str, Reach]]] = {
    Action.READ_TITLE: {**_READERS, Role.MANAGER: Reach.PROJECT},
    Action.READ_PLAN: _READERS,
    Action.HEAR_FEED: _READERS,
    Action.DECIDE: _DECIDERS,
    Action.DISMISS: {**_DECIDERS, Role.ADMIN: Reach.PROJECT},
    Action.ANSWER: {**_DECIDERS, Role.OPERATOR: Reach.OWN},
    Action.START_SESSION: {TOKEN: Reach.PROJECT, Role.OPERATOR: Reach.PROJECT},
    Action.POST_MESSAGE: {TOKEN: Reach.OWN, Role.OPERATOR: Reach.OWN},
    Action.CANCEL_TURN: {TOKEN: Reach.OWN, Role.OPERATOR: Reach.OWN, Role.ADMIN: Reach.PROJECT},
    Action.READ_AUDIT: {Role.ADMIN: Reach.PROJECT},
    Action.READ_TELEMETRY: {Role.MANAGER: Reach.PROJECT, Role.ADMIN: Reach.PROJECT},
}
_READING: Final = frozenset({Action.READ_TITLE, Action.READ_PLAN, Action.HEAR_FEED})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a person by browser, or a program by token.

    ``roles`` holds ``(project id or None for all, role)``.
    """

    user_id: int
    roles: frozenset[tuple[int | None, str]]
    by_token: bool = False


@dataclass(frozen=True, slots=True)
class Owned:
    """What the rules need of an object: its project, and who owns its session."""

    project_id: int
    owner_id: int | None = None


def caller_of(user: AbstractBaseUser | AnonymousUser, token: Token | None = None) -> Caller | None:
    """Return who asks, with the roles that hold at this moment; ``None`` for nobody."""
    if not user.is_active or user.pk is None:
        return None
    if token is not None:
        return Caller(user.pk, frozenset({(token.project_id, TOKEN)}), by_token=True)
    held = Membership.objects.filter(user_id=user.pk).values_list("project_id", "role")
    return Caller(user.pk, frozenset(held))


def as_of_now(caller: Caller) -> Caller:
    """Return the person with the roles that hold now; none once they may not log in any more.

    For verbs that waited for a lock: what was read before is what the person *had*. A program
    keeps what its token gave it.
    """
    if caller.by_token:
        return caller
    found = caller_of(User.objects.get(pk=caller.user_id))
    return found or Caller(caller.user_id, frozenset())


def may(caller: Caller | None, action: Action, thing: Owned, *, token: Token | None = None) -> bool:
    """Return whether ``caller`` may do ``action`` to ``thing``."""
    if caller is None or (token is not None and not _in_scope(token, action)):
        return False
    row = TABLE[action]
    return any(
        role in row
        and project_id in {None, thing.project_id}
        and (row[role] is Reach.PROJECT or thing.owner_id == caller.user_id)
        for project_id, role in caller.roles
    )


def _in_scope(token: Token, action: Action) -> bool:
    return token.may_read if action in _READING else token.may_submit


def may_anywhere(caller: Caller | None, action: Action) -> bool:
    """Return whether there can be anything on which ``caller`` may do ``action``."""
    return caller is not None and any(role in TABLE[action] for _, role in caller.roles)


def visible(caller: Caller, action: Action, *, project: str, owner: str) -> Q:
    """Return the condition on rows that ``caller`` may do ``action`` to.

    ``project`` and ``owner`` are the rows' look-ups, such as ``session__project``.
    """
    row = TABLE[action]
    found = Q(pk__in=[])
    for project_id, role in caller.roles:
        if role not in row:
            continue
        here = Q() if project_id is None else Q(**{f"{project}_id": project_id})
        if row[role] is Reach.OWN:
            here &= Q(**{f"{owner}_id": caller.user_id})
        found = found | here if here else ~Q(pk__in=[])
    return found
