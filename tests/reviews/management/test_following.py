"""Following a session: what is told, and what the command ends with."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.store import heartbeats
from reviews.core.decisions import DecisionKind
from reviews.management.commands.run_session import ctrl_c, followed
from reviews.management.following import Watch
from tests.desk import allow, answer, approve, decide
from tests.factories import STOPS_EARLY, Play, call, play, submits

Deed = Callable[[Play], object]
DONE = {"text": "All done."}


class Screen:
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.shown: list[str] = []

    def say(self, line: str, /) -> None:
        self.lines.append(line)

    def show(self, status: str, /) -> None:
        self.shown.append(status)

    def close(self) -> None:
        self.shown.append("")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class Time:
    """Time that passes only while the follower waits; then the next deed is done."""

    def __init__(self, session: Play, deeds: Iterator[Deed]) -> None:
        self.session, self.deeds, self.now = session, deeds, 0.0

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds
        next(self.deeds)(self.session)


def work(session: Play) -> None:
    session.work()


def nothing(session: Play) -> None:
    """Let time pass."""


def follow(session: Play, *deeds: Deed) -> tuple[int, Screen]:
    """Follow ``session`` while ``deeds`` happen, one each time the follower waits."""
    screen, time = Screen(), Time(session, iter(deeds))
    watch = Watch("http://127.0.0.1:8000", clock=time.clock, wait=time.wait)
    return followed(session.id, screen, watch), screen


def decides(by: User, kind: str, **fields: Any) -> Deed:  # noqa: ANN401 - a decision's fields
    return lambda session: decide(session, by, DecisionKind(kind), **fields)


@pytest.mark.parametrize(
    ("decision", "status", "last_words"),
    [
        pytest.param({"kind": "approve"}, 0, "done after 2 steps", id="approve"),
        pytest.param(
            {"kind": "approve", "start": False}, 0, "stopped (approved)", id="without a start"
        ),
        pytest.param({"kind": "reject", "reason": "No"}, 3, "stopped (rejected)", id="reject"),
        pytest.param(
            {"kind": "reject_and_exit"}, 4, "stopped (rejected_and_exited)", id="reject and exit"
        ),
        pytest.param({"kind": "dismiss"}, 0, "done after 2 steps", id="dismiss"),
    ],
)
def test_exit_status_tells_the_decision(
    decision: dict[str, Any], status: int, last_words: str, operator: User, reviewer: User
) -> None:
    session = play(operator, [submits(), DONE])
    ended, screen = follow(session, work, decides(reviewer, **decision), work)
    assert ended == status
    assert last_words in screen.lines[-1]


def test_an_agent_that_stops_too_early_needs_somebody(operator: User) -> None:
    """A script that waits for the command must not take it for done."""
    session = play(operator, [STOPS_EARLY])
    ended, screen = follow(session, work)
    assert ended == 6
    assert "it stopped without a submission" in screen.lines[-1]


def test_revise_is_followed_into_the_next_revision(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), {"after": "revise", **submits("# Better\n")}, DONE])
    ended, screen = follow(
        session,
        work,
        decides(reviewer, "revise", feedback="Use fewer files"),
        work,
        decides(reviewer, "approve"),
        work,
    )
    assert ended == 0
    assert "reviewer asked for changes: Use fewer files" in screen.text
    assert "waits for a decision on revision 1" in screen.text
    assert "waits for a decision on revision 2" in screen.text


def test_a_waiting_turn_names_the_review_once(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE])
    _, screen = follow(
        session, work, nothing, nothing, lambda it: approve(it, reviewer), nothing, work
    )
    url = f"http://127.0.0.1:8000/reviews/{session.review.pk}"
    assert sum(url in line for line in screen.lines) == 1


def test_steps_calls_tokens_and_time_are_told(operator: User) -> None:
    reads = {"text": "I look.", "tool_calls": [call("Read", path="parser.py")]}
    session = play(operator, [reads, DONE], plan=False)
    _, screen = follow(session, nothing, nothing, nothing, nothing, work)
    assert "[0:01] Read parser.py" in screen.lines
    assert "[0:01] agent: I look." in screen.lines
    assert "[0:01] step 1, 0 tokens so far" in screen.lines
    used = session.state.input_tokens + session.state.output_tokens
    assert screen.lines[-1] == f"[0:01] done after 2 steps, {used:,} tokens"
    assert screen.shown[0] == "step 0 · waits for a worker · 0 tokens · 0:00"


def test_a_refused_call_says_why(operator: User) -> None:
    writes = {"tool_calls": [call("Write", path="parser.py", content="")]}
    _, screen = follow(play(operator, [writes, DONE]), work)
    assert "Write parser.py denied: " in screen.text


def test_a_failed_call_says_why(operator: User) -> None:
    reads = {"tool_calls": [call("Read", path="missing.py")]}
    _, screen = follow(play(operator, [reads, DONE]), work)
    assert "Read missing.py failed: " in screen.text


def test_a_call_without_an_argument_to_tell_is_one_word(operator: User) -> None:
    asks = {"tool_calls": [call("AskUserQuestion", questions=[])]}
    _, screen = follow(play(operator, [asks, DONE]), work)
    assert "AskUserQuestion invalid: " in screen.text


def test_one_step_is_one(operator: User) -> None:
    _, screen = follow(play(operator, [DONE], plan=False), work)
    assert "done after 1 step, " in screen.lines[-1]


def test_a_script_that_ran_out_fails(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}])
    ended, screen = follow(session, work)
    assert ended == 5
    assert "the model call failed: the script has no reply left: " in screen.text
    assert "failed (the script has no reply left: " in screen.lines[-1]


def test_a_model_that_is_asked_again_says_when(operator: User) -> None:
    fails = {"fail": {"kind": "rate_limit"}, "text": "Done."}
    session = play(operator, [fails])
    ended, screen = follow(session, work, lambda it: services.cancel_turn(it.id))
    assert "the model call failed: the provider asks for a pause: " in screen.text
    assert "; next attempt in 1." in screen.text
    assert ended == 5
    assert "cancelled" in screen.lines[-1]


def test_a_question_is_waited_for(operator: User, reviewer: User) -> None:
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which one?"}])]}
    session = play(operator, [asks, DONE], plan=False)
    ended, screen = follow(session, work, lambda it: answer(it, reviewer, "The first"), work)
    assert ended == 0
    assert "the agent asks: Which one?" in screen.text
    card = f"http://127.0.0.1:8000/questions/{session.question.pk}"
    assert f"waits for an answer: {card}" in screen.text
    assert "reviewer answered: The first" in screen.text


def test_a_tool_approval_is_waited_for(operator: User, reviewer: User) -> None:
    writes = {"tool_calls": [call("Write", path="new.py", content="value = 2\n")]}
    session = play(operator, [writes, DONE], plan=False)
    _, screen = follow(
        session, work, lambda it: allow(it, reviewer, yes=False, note="Not there"), work
    )
    card = f"http://127.0.0.1:8000/approvals/{session.approval.pk}"
    assert f"waits for a person to allow Write: {card}" in screen.text
    assert "reviewer refused it: Not there" in screen.text


def test_of_an_agent_that_it_started_it_links_the_session(operator: User) -> None:
    task = {"tool_calls": [call("Agent", profile="explore", task="Where is value set?")]}
    agents = {"explore": [{"text": "In parser.py."}]}
    session = play(operator, [task, DONE], agents, plan=False)
    ended, screen = follow(session, work, lambda it: it.child.work(), work)
    assert ended == 0
    page = f"http://127.0.0.1:8000/sessions/{session.child.id}"
    assert f"waits for the agent that it started: {page}" in screen.text
    assert "approvals/" not in screen.text


def test_auto_approval_says_that_nobody_reviewed(operator: User) -> None:
    project = operator.memberships.get().project
    assert project is not None
    project.allow_auto = True
    project.save()
    session = play(operator, [submits(), DONE], permission_mode="auto")
    _, screen = follow(session, work)
    assert "approved the plan automatically: no person reviewed it" in screen.text
    assert "waits for" not in screen.text


def test_without_a_server_the_hint_comes_once(operator: User) -> None:
    session = play(operator, [DONE], plan=False)
    _, screen = follow(session, *[nothing] * 40, work)
    hint = "no server is at work; run: manage.py serve"
    assert [line for line in screen.lines if hint in line] == [f"[0:05] {hint}"]


def test_with_a_server_no_hint_comes(operator: User) -> None:
    session = play(operator, [DONE], plan=False)
    heartbeats.beat("host:1")
    _, screen = follow(session, *[nothing] * 40, work)
    assert "manage.py serve" not in screen.text


def test_the_addresses_are_those_of_the_server_that_is_at_work(operator: User) -> None:
    """complaints:K-30."""

    def serve(_session: Play) -> None:
        heartbeats.beat("serve:1", address="http://127.0.0.1:8765")

    reviewer = operator_as_reviewer(operator)
    session = play(operator, [submits(), DONE])
    _, screen = follow(session, serve, work, lambda it: approve(it, reviewer), work)
    assert f"shown at http://127.0.0.1:8000/sessions/{session.id}" in screen.lines[0]
    assert f"revision 1: http://127.0.0.1:8765/reviews/{session.review.pk}" in screen.text


def test_text_of_an_agent_can_not_steer_the_terminal(operator: User) -> None:
    session = play(operator, [{"text": "\x1b[2Jgone\u202e"}], plan=False)
    _, screen = follow(session, work)
    assert "agent: \ufffd[2Jgone\ufffd" in screen.text


def test_a_message_in_between_is_told(operator: User) -> None:
    session = play(operator, [submits(), {"text": "Soon."}, {"text": "Done."}])
    _, screen = follow(
        session,
        work,
        lambda it: services.post_message(it.id, "Hurry up", author=operator),
        lambda it: approve(it, operator_as_reviewer(operator)),
        work,
    )
    assert "operator: Hurry up" in screen.text


def operator_as_reviewer(operator: User) -> User:
    """Give the operator's project one more person who decides."""
    lead = User.objects.create_user("lead")
    lead.memberships.create(project=operator.memberships.get().project, role="lead")
    return lead


def test_ctrl_c_is_taken_between_two_looks_only() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ctrl_c() as wait:
        signal.raise_signal(signal.SIGINT)  # alone it interrupts nothing
        with pytest.raises(KeyboardInterrupt):
            wait(0)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_does_not_wait() -> None:
    with ctrl_c():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_detaches_and_the_session_goes_on(operator: User) -> None:
    """complaints:K-27."""

    def ctrl_c(session: Play) -> None:
        raise KeyboardInterrupt

    session = play(operator, [DONE], plan=False)
    ended, screen = follow(session, ctrl_c)
    assert ended == 130
    assert (
        f"the session goes on in the worker, look at http://127.0.0.1:8000/sessions/{session.id}"
        in (screen.lines[-1])
    )
    assert session.work().turn.state == "done"
