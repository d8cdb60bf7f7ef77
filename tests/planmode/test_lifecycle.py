"""A session's life, step by step beside a small model of it."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

import pytest
import yaml
from django.conf import settings as django
from django.contrib.auth.models import User
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from planmode import queries, services
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.errors import PlanUnderReviewError
from planmode.core.guard import Allow, Ask, CallFacts, Deny, Ground, Refusal, judge
from planmode.core.history import beginnings
from planmode.core.permission import PermissionMode
from planmode.core.state import SessionState, fold
from planmode.core.view import UserMessage, transcript
from planmode.knobs import knobs
from planmode.models import Revision, Session, Turn
from planmode.store import eventlog
from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests import desk, faults
from tests.factories import DONE, Play, call, play
from tests.lifecycle_model import Life

pytestmark = pytest.mark.django_db

SOAKING: Final = settings.get_current_profile_name() == "soak"
HOW: Final = settings(
    max_examples=25 if SOAKING else 15,
    stateful_step_count=40 if SOAKING else 20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TEXTS: Final = (b"# A\n", b"# B\n")
SUBMIT: Final = call("ExitPlanMode")
CALLS: Final = {
    "enter": [call("EnterPlanMode")],
    "submit": [SUBMIT],
    "write and submit": [SUBMIT],
}


@dataclass(slots=True)
class Lived:
    """A session, and what the model says of it; ``deaths`` counts workers lost in a row."""

    session: Play
    life: Life
    deaths: int = 0


class Lifecycle(RuleBasedStateMachine):
    """Whatever people and agents do to a session, done to both."""

    def __init__(self, operator: User, reviewer: User) -> None:
        super().__init__()
        self.operator, self.reviewer = operator, reviewer
        self.others: list[Lived] = []
        self.words = self.scripts = 0

    # What the rules are about

    @property
    def session(self) -> Play:
        return self.now.session

    @property
    def life(self) -> Life:
        return self.now.life

    def posted(self) -> int:
        return max(
            item.seq
            for item in eventlog.read(self.session.id)
            if isinstance(item.event, ev.MessagePosted) and item.event.origin is ev.Origin.USER
        )

    @initialize(
        preset=st.sampled_from(["kimi", "claude"]),
        mode=st.sampled_from(PermissionMode),
        plan=st.sampled_from([True, True, False]),
    )
    def start(self, preset: str, mode: PermissionMode, *, plan: bool) -> None:
        Project.objects.update(allow_auto=True)
        session = play(self.operator, [DONE], preset=preset, permission_mode=mode.value, plan=plan)
        life = Life(mode.value, knobs(preset).auto_exit)
        self.now = Lived(session, life)
        if plan:
            life.enter()
        life.say("Tidy the parser", self.posted())

    # What people do

    @rule(active=st.sampled_from([True, True, False]))
    def choose_plan_mode(self, *, active: bool) -> None:
        services.choose_plan_mode(self.session.id, active=active, by=self.operator)
        self.life.want(active=active)

    @rule(mode=st.sampled_from(PermissionMode), allowed=st.booleans())
    def choose_permission_mode(self, mode: PermissionMode, *, allowed: bool) -> None:
        """Choose one, and then let the project allow auto or forbid it."""
        if mode is not PermissionMode.AUTO or self.life.allowed:
            services.choose_permission_mode(self.session.id, mode, by=self.operator)
            self.life.want_mode(mode.value)
        Project.objects.update(allow_auto=allowed)
        for lived in (self.now, *self.others):
            lived.life.allowed = allowed

    @rule()
    def say(self) -> None:
        self.words += 1
        text = f"word {self.words}"
        services.post_message(self.session.id, text, author=self.operator)
        self.life.say(text, self.posted())

    @precondition(lambda self: self.life.turn == "waiting")
    @rule(kind=st.sampled_from(DecisionKind))
    def decide(self, kind: DecisionKind) -> None:
        words = {"feedback": "shorter"} if kind is DecisionKind.REVISE else {}
        desk.decide(self.session, self.reviewer, kind, **words)
        self.life.decide(kind.value)

    @precondition(lambda self: self.life.active)
    @rule(text=st.sampled_from([b"", *TEXTS]))
    def edit(self, text: bytes) -> None:
        base = sha256(self.life.talk.text).hexdigest()
        if self.life.turn == "waiting":
            with pytest.raises(PlanUnderReviewError):
                services.edit_plan(self.session.id, text, base_sha256=base, by=self.operator)
            return
        services.edit_plan(self.session.id, text, base_sha256=base, by=self.operator)
        self.life.write(text)

    @precondition(lambda self: self.life.turn)
    @rule()
    def interrupt(self) -> None:
        services.cancel_turn(self.session.id)
        self.life.interrupt()

    @precondition(lambda self: self.life.retry and not self.life.turn)
    @rule()
    def try_again(self) -> None:
        services.retry_turn(self.session.id, by=self.operator)
        self.life.begin()

    def come_to_rest(self) -> None:
        while self.life.turn:  # what was said meanwhile gets a turn of its own
            self.interrupt()

    @precondition(lambda self: self.life.moments)
    @rule(back=st.integers(0, 2))
    def undo(self, back: int) -> None:
        self.come_to_rest()
        index = max(0, len(self.life.moments) - 1 - back)
        services.undo(self.session.id, self.life.moments[index].seq, by=self.operator)
        self.life.undo(index)

    @precondition(lambda self: len(self.others) < 2)
    @rule(back=st.none() | st.integers(0, 2), stay=st.booleans())
    def fork(self, back: int | None, *, stay: bool) -> None:
        if self.life.turn == "queued":
            self.come_to_rest()
        moments = self.life.moments
        index = max(0, len(moments) - 1 - back) if moments and back is not None else None
        at = None if index is None else moments[index].seq - 1
        copy = Play(services.fork(self.session.id, by=self.operator, at=at))
        lived = Lived(copy, self.life.fork(index))
        check(lived)
        self.others.append(lived)
        if not stay:
            self.go_on_elsewhere(-1)

    @precondition(lambda self: self.others)
    @rule(index=st.integers(0, 5))
    def go_on_elsewhere(self, index: int) -> None:
        index %= len(self.others)
        self.now, self.others[index] = self.others[index], self.now

    @precondition(lambda self: not self.life.turn and len(self.life.moments) > 2)
    @rule()
    def compact(self) -> None:
        services.compact(self.session.id, "So far.")
        self.life.compact()

    # What workers do

    @precondition(lambda self: self.life.turn == "queued" and self.now.deaths < 2)
    @rule()
    def start_again(self) -> None:
        """A worker dies before its first word; what was on its disk is gone."""
        with faults.death_at(1), pytest.raises(faults.Killed):
            self.session.work()
        faults.lease_runs_out(self.session)
        self.now.deaths += 1
        if self.life.active:
            desk.plan_path(self.session).unlink(missing_ok=True)

    @rule(text=st.sampled_from(TEXTS), before=st.sampled_from(DecisionKind))
    def the_agent_submits(self, text: bytes, before: DecisionKind) -> None:
        self.its_turn(before)
        self.work("write and submit" if self.life.soon_active else "enter", text)

    @rule(
        act=st.sampled_from(["write", "submit", "stop"]),
        text=st.sampled_from(TEXTS),
        before=st.sampled_from(DecisionKind),
    )
    def the_agent_goes_on(self, act: str, text: bytes, before: DecisionKind) -> None:
        self.its_turn(before)
        self.work(act if self.life.soon_active else "enter", text)

    def its_turn(self, kind: DecisionKind) -> None:
        """Let a person answer or ask, whatever the agent waits for."""
        if self.life.turn == "waiting":
            self.decide(kind)
        if not self.life.turn:
            self.say()

    def work(self, act: str, text: bytes) -> None:
        """Let the agent's next reply be ``act``, and all after it say that it is done."""
        calls = (
            [call("Write", path="${plan_file}", content=text.decode())] if "write" in act else []
        )
        calls += CALLS.get(act, [])
        used = self.session.state.marks.get("0", 0)
        replies = [
            {"text": act, "tool_calls": calls, "repeat": used + 1},
            {"text": "Done.", "repeat": 10_000},
        ]
        self.scripts += 1
        padding = "#" * self.scripts  # a script of another size is read again
        script = f"{padding}\n{yaml.safe_dump({'replies': replies})}"
        name = Session.objects.get(pk=self.session.id).model.removeprefix("scripted:")
        (django.SCRIPTS_DIR / name).write_text(script, encoding="utf-8")
        self.session.work()
        self.now.deaths = 0
        self.life.work(act, text)
        if self.life.active:
            assert on_disk(self.session) == self.life.talk.text

    # What must hold after each rule

    @invariant()
    def the_session_is_as_the_model_says(self) -> None:
        check(self.now)

    def teardown(self) -> None:
        for lived in self.others:
            check(lived)


def check(lived: Lived) -> None:
    """Compare what is stored with what the model says."""
    session, life = lived.session, lived.life
    state, log = session.state, desk.log(session)
    assert fold(log) == state
    check_modes(state, life)
    check_turn(session.id, state, life)
    check_texts(session.id, log, life)
    check_talk(log, state, life)


def check_modes(state: SessionState, life: Life) -> None:
    """Plan mode, permission mode, what was chosen, and what the guard says of another file."""
    assert state.plan.active == life.active
    assert state.permission_mode.value == life.mode
    assert state.plan.previous_mode == (state.permission_mode if life.active else None)
    assert (state.wanted.active, state.wanted.mode) == (life.wants, life.wants_mode)
    asks = Ask() if life.mode == "manual" else Allow()
    wanted = Deny(Refusal.WRITE_OUTSIDE_PLAN_FILE) if life.active else asks
    facts = CallFacts("Write", workspace=True)
    assert judge(facts, state, knobs(state.preset), Ground(sandbox=True)) == wanted


def check_turn(session_id: UUID, state: SessionState, life: Life) -> None:
    """The turn's row, and the card that it waits for."""
    rows = Turn.objects.filter(session_id=session_id).open().values_list("state", flat=True)
    left = {"running": "queued"}  # by a worker that died
    assert [left.get(row, row) for row in rows] == ([life.turn] if life.turn else [])
    assert state.turn.open == bool(life.turn)
    cards = [str(card.pk) for card in Review.objects.filter(session_id=session_id).open()]
    assert cards == ([state.plan.review] if life.turn == "waiting" else [])
    assert bool(state.plan.review) == bool(cards)


def check_texts(session_id: UUID, log: list[ev.Event], life: Life) -> None:
    """The working plan, and each version with its bytes: numbered once, kept for ever."""
    ids = plan_ids(log)
    assert len(set(ids)) == len(life.versions)
    if life.talk.plan is not None:
        kept = queries.working_plan(session_id, ids[life.talk.plan])
        assert (kept or b"") == life.talk.text
    rows = Revision.objects.filter(session_id=session_id)
    assert {(row.plan_id, row.version): queries.revision_bytes(row.pk) for row in rows} == {
        (plan_id, version): text
        for plan_id, texts in zip(ids, life.versions, strict=True)
        for version, text in enumerate(texts, start=1)
    }


def check_talk(log: list[ev.Event], state: SessionState, life: Life) -> None:
    """What the model is sent, how far one can go back, and what is believed of plan mode."""
    assert beginnings(log) == [moment.seq for moment in life.moments]
    messages = transcript(log, cut_text="cut")
    said = tuple(
        m.text for m in messages if isinstance(m, UserMessage) and m.origin is ev.Origin.USER
    )
    assert said == life.talk.said[: len(said)]
    assert life.turn or said == life.talk.said, "all is heard when nothing waits"
    told = [event.kind for event in log if isinstance(event, ev.ReminderInjected)]
    assert told.count(ev.ReminderKind.EXIT) == life.exits
    active = None if life.talk.plan is None else plan_ids(log)[life.talk.plan]
    assert state.plan.plan_id == active
    assert (state.told.plan_id is not None) == life.talk.believes


def plan_ids(log: list[ev.Event]) -> list[str]:
    """Return the ids of the session's own plans, in the order in which they began."""
    ids: list[str] = []
    for event in log:
        match event:
            case ev.SessionForked(plan_id=plan_id):
                ids = [plan_id] if plan_id else []
            case ev.PlanModeEntered(plan_id=plan_id):
                ids.append(plan_id)
            case _:
                pass
    return ids


def on_disk(session: Play) -> bytes:
    path = desk.plan_path(session)
    return path.read_bytes() if path.exists() else b""


def test_a_session_lives_as_the_model_says(
    operator: User, reviewer: User, project: Project
) -> None:
    """kimi:H3 kimi:H4 kimi:H5 kimi:R6: whatever happens, in whatever order."""

    class OfTheseTwo(Lifecycle):
        def __init__(self) -> None:
            super().__init__(operator, reviewer)

    run_state_machine_as_test(OfTheseTwo, settings=HOW)
