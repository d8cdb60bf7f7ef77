"""Who may do what: one table, read where it counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q

from planmode.access.models import Membership, Role, Scope, Token


class Action(StrEnum):
    """What somebody wants to do."""

    READ_TITLE = "read_title"  # titles and states in lists
    READ_PLAN = "read_plan"  # plan text, revisions, diff, session, events
    HEAR_FEED = "hear_feed"
    DECIDE = "decide"
    DISMISS = "dismiss"
    COMMENT = "comment"
    ANSWER = "answer"  # questions and tool approvals
    START_SESSION = "start_session"
    POST_MESSAGE = "post_message"
    CANCEL_TURN = "cancel_turn"
    STEER = "steer"  # leave plan mode, choose a permission mode, edit the plan, undo
    FORK_SESSION = "fork_session"
    READ_AUDIT = "read_audit"
    READ_TELEMETRY = "read_telemetry"
    MANAGE_PROJECT = "manage_project"  # members, policy, defaults


class Reach(StrEnum):
    """On which objects of a project a role may act."""

    PROJECT = "project"
    OWN = "own"  # of sessions that the person owns


TOKEN_READS: Final = "token_reads"  # noqa: S105 - a role's name
TOKEN_SUBMITS: Final = "token_submits"  # noqa: S105 - a role's name
TOKEN_ROLES: Final = frozenset({TOKEN_READS, TOKEN_SUBMITS})
"""What an agent token is in the table, by its scopes: not roles that a person could have."""

_PEOPLE: Final[Mapping[str, Reach]] = {
    Role.REVIEWER: Reach.PROJECT,
    Role.LEAD: Reach.PROJECT,
    Role.OPERATOR: Reach.PROJECT,
    Role.ADMIN: Reach.PROJECT,
}
_DECIDERS: Final[Mapping[str, Reach]] = {Role.REVIEWER: Reach.PROJECT, Role.LEAD: Reach.PROJECT}

TABLE: Final[Mapping[Action, Mapping[str, Reach]]] = {
    # A token's scopes say what it may do, not what exists for it.
    Action.READ_TITLE: {
        **_PEOPLE,
        Role.MANAGER: Reach.PROJECT,
        TOKEN_READS: Reach.OWN,
        TOKEN_SUBMITS: Reach.OWN,
    },
    Action.READ_PLAN: {**_PEOPLE, TOKEN_READS: Reach.OWN},
    Action.HEAR_FEED: _PEOPLE,
    Action.DECIDE: _DECIDERS,
    Action.DISMISS: {**_DECIDERS, Role.ADMIN: Reach.PROJECT},
    # Agents answer comments by their own tool, never by token.
    Action.COMMENT: {
        **_DECIDERS,
        Role.ADMIN: Reach.PROJECT,
        Role.OPERATOR: Reach.OWN,
    },
    Action.ANSWER: {**_DECIDERS, Role.OPERATOR: Reach.OWN},
    Action.START_SESSION: {TOKEN_SUBMITS: Reach.PROJECT, Role.OPERATOR: Reach.PROJECT},
    Action.POST_MESSAGE: {TOKEN_SUBMITS: Reach.OWN, Role.OPERATOR: Reach.OWN},
    Action.CANCEL_TURN: {
        TOKEN_SUBMITS: Reach.OWN,
        Role.OPERATOR: Reach.OWN,
        Role.ADMIN: Reach.PROJECT,
    },
    # A person's business: a program that left plan mode would have decided about its own plan.
    Action.STEER: {Role.OPERATOR: Reach.OWN},
    # A copy of an early moment may be one without plan mode: a person's act, as leaving it is.
    Action.FORK_SESSION: {Role.OPERATOR: Reach.OWN},
    Action.READ_AUDIT: {Role.ADMIN: Reach.PROJECT},
    Action.READ_TELEMETRY: {Role.MANAGER: Reach.PROJECT, Role.ADMIN: Reach.PROJECT},
    Action.MANAGE_PROJECT: {Role.ADMIN: Reach.PROJECT},
}


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


INSTALLATION: Final = Owned(project_id=0)
"""What belongs to no project: only roles for all projects reach it."""


def caller_of(user: AbstractBaseUser | AnonymousUser, token: Token | None = None) -> Caller | None:
    """Return who asks, with the roles that hold at this moment; ``None`` for nobody.

    A token acts for ``user``, its owner: what they may not do at this moment, it may not do.
    """
    if not user.is_active or user.pk is None:
        return None
    held = Membership.objects.filter(user_id=user.pk).values_list("project_id", "role")
    person = Caller(user.pk, frozenset(held))
    if token is None:
        return person
    scopes = may_lend(person, token.project_id) & token.scopes
    roles = frozenset((token.project_id, _ROLE_OF[scope]) for scope in scopes)
    return Caller(user.pk, roles, by_token=True)


_ROLE_OF: Final[Mapping[Scope, str]] = {Scope.READ: TOKEN_READS, Scope.SUBMIT: TOKEN_SUBMITS}
_LENT_BY: Final[Mapping[Scope, Action]] = {
    Scope.READ: Action.READ_PLAN,
    Scope.SUBMIT: Action.START_SESSION,
}
"""What the owner must be allowed to do for a token of theirs to have the scope."""


def may_lend(owner: Caller, project_id: int) -> frozenset[Scope]:
    """Return the scopes that a token of ``owner`` can have in the project as things stand."""
    here = Owned(project_id, owner.user_id)
    return frozenset(scope for scope, action in _LENT_BY.items() if may(owner, action, here))


def as_of_now(caller: Caller) -> Caller:
    """Return the person with the roles that hold now; none once they may not log in any more.

    For verbs that waited for a lock: what was read before is what the person *had*. A program
    keeps what it had: no verb that asks here is open to one.
    """
    if caller.by_token:
        return caller
    found = caller_of(User.objects.get(pk=caller.user_id))
    return found or Caller(caller.user_id, frozenset())


def may(caller: Caller | None, action: Action, thing: Owned) -> bool:
    """Return whether ``caller`` may do ``action`` to ``thing``."""
    if caller is None:
        return False
    row = TABLE[action]
    return any(
        role in row
        and project_id in {None, thing.project_id}
        and (row[role] is Reach.PROJECT or thing.owner_id == caller.user_id)
        for project_id, role in caller.roles
    )


def may_anywhere(caller: Caller | None, action: Action) -> bool:
    """Return whether there can be anything on which ``caller`` may do ``action``."""
    return caller is not None and any(role in TABLE[action] for _, role in caller.roles)


def may_by_token(action: Action) -> bool:
    """Return whether there can be a token that may do ``action``, whatever its scopes."""
    return not TOKEN_ROLES.isdisjoint(TABLE[action])


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
