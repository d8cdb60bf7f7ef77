"""How a session stands, and what one person may do about it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.utils.safestring import SafeString

from planmode import queries
from planmode.access.may import Action, Caller, may
from planmode.core import events as ev
from planmode.core.events import TurnState
from planmode.core.failures import halted, may_be_retried
from planmode.core.state import PlanState
from planmode.core.waiting import Awaited, waiting
from planmode.queries import ModeRow, ScheduleRow, SessionRow, TaskRow, TurnRow
from planmode.signals import Logged
from reviews import dashboards
from reviews.rendering import rendered

MOST_TASKS: Final = 10
"""Background tasks that the page shows, the newest; the agent's own list has all."""


class Phase(StrEnum):
    """What the agent is about; that it waits for a person is said by its turn."""

    PLANNING = "planning"
    EXECUTING = "executing"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the turn waits for; ``kind`` names its page: a card, or another agent's session."""

    kind: str
    id: UUID


@dataclass(frozen=True, slots=True)
class Draft:
    """The working plan; ``revision`` is the newest one when that holds the same bytes."""

    html: SafeString
    revision: int | None


@dataclass(frozen=True, slots=True)
class Child:
    """A session that this one's agent started."""

    id: UUID
    profile: str


@dataclass(frozen=True, slots=True)
class Rights:
    """What one person may do to the session, whatever its state.

    ``posts``: say something; ``steers``: choose modes, edit the plan, go back; ``forks``: copy it;
    ``ends``: end turns, tasks and schedules.
    """

    posts: bool
    steers: bool
    forks: bool
    ends: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What is true of the session now.

    ``edited_by`` names the person who wrote into the draft after the agent did. ``cancels`` and
    ``retries`` are what the person may do to its newest turn. ``source`` is the
    session that it was forked from.
    """

    session: SessionRow
    turn: str
    phase: Phase
    mode: ModeRow
    waiting: Waiting | None
    draft: Draft | None
    edited_by: str
    tasks: tuple[TaskRow, ...]
    schedules: tuple[ScheduleRow, ...]
    children: tuple[Child, ...]
    source: UUID | None
    rights: Rights
    cancels: bool
    retries: bool

    @property
    def done(self) -> int:
        """How many lines of the agent's list are done."""
        return sum(item.status == "done" for item in self.session.state.todo)

    @property
    def edits(self) -> bool:
        """Whether there is a plan file that the person may write to."""
        state = self.session.state
        has_file = queries.config(state).plan_folder != "none"
        return self.rights.steers and state.plan.active and has_file

    @property
    def halted(self) -> bool:
        """Whether the newest turn stopped although nobody decided so."""
        turn = self.session.turn
        if turn is None or turn.taken_back:
            return False
        return halted(turn.state, turn.reason)


def standing(row: SessionRow, caller: Caller, points: Sequence[Logged]) -> Standing:
    """Return how ``row`` stands; ``points`` are where its conversation was cut."""
    rights = _rights(row, caller)
    return Standing(
        session=row,
        turn=_shown(row.turn) if row.turn else "",
        phase=_phase(row),
        mode=queries.mode(row.state),
        waiting=_waiting(row),
        draft=_draft(row),
        edited_by=_editor(row),
        tasks=tuple(queries.tasks(row.id, limit=MOST_TASKS)),
        schedules=tuple(one for one in queries.schedules(row.id) if one.active),
        children=tuple(Child(UUID(key), name) for key, name in row.state.children.items()),
        source=_source(points),
        rights=rights,
        cancels=rights.ends and bool(row.turn) and not _has_ended(row),
        retries=rights.posts and _may_be_retried(row),
    )


def _shown(turn: TurnRow) -> str:
    """Return the word for how ``turn`` stands: the end of one that was taken back is no news."""
    return "taken_back" if turn.taken_back else turn.state


def _rights(row: SessionRow, caller: Caller) -> Rights:
    """Return what ``caller`` may do; an agent that another one started hears that one alone."""
    own = row.parent is None
    return Rights(
        posts=own and may(caller, Action.POST_MESSAGE, row.owned),
        steers=own and may(caller, Action.STEER, row.owned),
        forks=own and may(caller, Action.FORK_SESSION, row.owned),
        ends=may(caller, Action.CANCEL_TURN, row.owned),
    )


def _phase(row: SessionRow) -> Phase:
    if row.state.plan.active:
        return Phase.PLANNING
    return Phase.IDLE if row.turn is None or _has_ended(row) else Phase.EXECUTING


def _has_ended(row: SessionRow) -> bool:
    return bool(row.turn and TurnState(row.turn.state).ended)


def _may_be_retried(row: SessionRow) -> bool:
    turn = row.turn
    if turn is None or turn.taken_back:
        return False
    return may_be_retried(turn.state, turn.reason)


def _source(points: Sequence[Logged]) -> UUID | None:
    forks = [UUID(p.event.source) for p in points if isinstance(p.event, ev.SessionForked)]
    return forks[-1] if forks else None


def _waiting(row: SessionRow) -> Waiting | None:
    found = waiting(row.state)
    if found is None:
        return None
    page = "session" if found.awaited is Awaited.AGENT else found.awaited.value
    return Waiting(page, UUID(found.card))


def _draft(row: SessionRow) -> Draft | None:
    """Return the working plan as it would read, while there is one."""
    plan = row.state.plan
    content = queries.working_plan(row.id, plan.plan_id) if plan.plan_id else None
    if not content or plan.plan_id is None:
        return None
    html = rendered(content.decode("utf-8", "replace")).html
    return Draft(html, revision=_revision_of(plan, plan.plan_id, content))


def _editor(row: SessionRow) -> str:
    """Return who wrote last into the plan, if not the agent: its owner, as the rules are."""
    plan = row.state.plan
    if not plan.active or plan.edited_by is None:
        return ""
    if plan.edited_by == row.owned.owner_id:
        return row.owner
    return dashboards.usernames([plan.edited_by]).get(plan.edited_by, "")


def _revision_of(plan: PlanState, plan_id: str, content: bytes) -> int | None:
    same = plan.submitted.get(plan_id) == hashlib.sha256(content).hexdigest()
    return plan.revision_count[plan_id] if same else None
