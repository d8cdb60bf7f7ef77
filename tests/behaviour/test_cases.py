"""Reports on guards and reminders elsewhere, played on ours."""

import random
from typing import Any

import pytest
from django.contrib.auth.models import User

from planmode import queries, services
from planmode.core import events as ev
from planmode.models import Revision
from planmode.store import revisions
from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests import desk
from tests.factories import call, one, play, submits
from tests.planmode.api.http import browser, get
from tests.plays import ASKS, EDITS, LISTS, WRITES, compact, done, files, heard, leave, say, told

pytestmark = pytest.mark.django_db

MARKED = "# Plan MARK-42\n\n1. Read\n"

# The guard


def test_nothing_is_edited_in_the_turn_after_a_rejected_plan(
    operator: User, reviewer: User
) -> None:
    """case:C003 case:C041, complaints:K-10: a rejection ends no planning."""
    session = play(operator, [submits(), EDITS, WRITES, done()], permission_mode="yolo").work()
    desk.decide(session, reviewer, DecisionKind.REJECT)
    say(session.work(), operator, "there is still a bug in parser.py")
    *_, edit, write = desk.results(session)
    assert (edit.verdict, write.verdict) == (ev.Verdict.DENIED, ev.Verdict.DENIED)
    assert session.state.plan.active
    assert "full" in told(session)[1:]
    assert (session.workspace / "parser.py").read_text() == "value = 1\n"
    assert not (session.workspace / "other.py").exists()


def test_a_path_that_only_names_a_plan_folder_is_not_the_plan_file(operator: User) -> None:
    """case:C021; that a guard that breaks says no is in tests/planmode/agent/test_calls.py."""
    result = desk.only(one(operator, call("Write", path=".x/plans/../../src/app.py", content="x")))
    assert result.is_error
    assert result.verdict is ev.Verdict.DENIED


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../outside/secret.txt"])
def test_a_submission_names_no_file(operator: User, path: str) -> None:
    """case:C022: what is submitted is the plan file, whatever the agent says."""
    result = desk.only(one(operator, call("ExitPlanMode", plan_path=path)))
    assert result.is_error
    assert result.text.startswith('Invalid args for tool "ExitPlanMode": /plan_path')
    assert "root:" not in result.text
    assert not Review.objects.exists()
    assert not Revision.objects.exists()


def test_the_api_gives_out_no_files_of_a_session(operator: User) -> None:
    """case:C023: there is no such address, so there is no link to follow out of it."""
    session = play(operator, [done()])
    (session.workspace / "link").symlink_to("/etc")
    for place in ("link/passwd", "link"):
        answer = get(browser(operator), f"/sessions/{session.id}/files?path={place}")
        assert answer.status_code == 404
        assert b"root:" not in answer.content


def writing_call(chance: random.Random, number: int) -> dict[str, Any]:
    """Return a call of something that could write, no two of them alike."""
    calls = [
        call("Write", path=chance.choice(["a.py", "sub/b.py", "plans/c.md"]), content=f"{number}"),
        call("Edit", path="parser.py", old_string="value", new_string=f"v{number}"),
        call("Bash", command=f"{chance.choice(['touch', 'rm -rf', 'tee'])} f{number} parser.py"),
        call("TaskStop", task=number + 1),
        call("CronCreate", cron="* * * * *", prompt=f"write {number}"),
        call("CronDelete", schedule=number + 1),
        call("mcp__files__write", path=f"f{number}"),
        call("Rewrite", path=f"f{number}"),
    ]
    return chance.choice(calls)


def test_of_300_random_calls_that_could_write_none_does(operator: User) -> None:
    """case:C026, complaints:K-06: not even in the mode that asks nobody; what is unknown, too."""
    chance = random.Random(26)  # noqa: S311 - a test's own dice
    calls = [writing_call(chance, number) for number in range(300)]
    replies = [{"tool_calls": calls[start : start + 60]} for start in range(0, 300, 60)]
    session = play(operator, [*replies, done()], permission_mode="yolo")
    before = files(session.workspace)
    while session.turn.state in {"queued", "running"}:
        session.work()
    assert files(session.workspace) == before
    assert len(desk.results(session)) == 300
    assert all(result.is_error for result in desk.results(session))
    assert session.state.plan.active


# Reminders


def test_after_the_plan_was_carried_out_a_compaction_brings_no_planning_back(
    operator: User, reviewer: User
) -> None:
    """case:C027."""
    twelve = {**LISTS, "repeat": 6}
    session = play(operator, [submits(), twelve, {"text": "So far."}, done()]).work()
    desk.approve(session, reviewer)
    session.work()
    before = told(session)
    compact(session)
    say(session, operator)
    assert told(session) == before
    assert not session.state.plan.active


def test_whatever_cut_the_text_away_it_comes_again_while_planning(operator: User) -> None:
    """case:C028, complaints:K-11: and after leaving there is one exit text."""
    session = play(operator, [ASKS, done()]).work()
    assert told(session) == ["full"]
    compact(session)
    desk.answer(session, operator, "this")
    session.work()
    assert told(session) == ["full", "full"]
    say(session, operator)
    message = desk.every(session, ev.MessagePosted)[-1]
    services.undo(session.id, desk.log(session).index(message) + 1, by=operator)
    say(session, operator, "something else")
    assert told(session)[-1] == "full"
    assert "Plan mode is on." in heard(session)
    leave(session, operator)
    say(say(session, operator), operator)
    assert told(session).count("exit") == 1


def test_who_leaves_by_hand_is_told_to_the_agent_once(operator: User) -> None:
    """case:C029 case:C030, complaints:K-34: a late submission opens no card."""
    late = {"tool_calls": [call("ExitPlanMode")]}
    session = play(operator, [done(2), late, WRITES, done()]).work()
    leave(session, operator)
    say(session, operator, "now edit other.py")
    assert told(session) == ["full", "exit"]
    assert "Plan mode is off" in heard(session)
    result, *_ = desk.results(session)
    assert "ExitPlanMode works only while plan mode is on" in result.text
    assert not Review.objects.exists()
    assert session.approval.tool == "Write"


def test_who_never_planned_is_not_told_that_planning_is_over(operator: User) -> None:
    """case:C030."""
    session = say(play(operator, [done()], plan=False).work(), operator)
    assert told(session) == []


def test_page_reminder_and_guard_read_one_state(operator: User) -> None:
    """case:C032 case:C034, complaints:K-33 K-51: also after a restart, which has the log alone."""
    session = play(operator, [done(2), WRITES, done()], permission_mode="accept_edits").work()

    def modes() -> list[bool]:
        shown = get(browser(operator), f"/sessions/{session.id}").json()
        return [
            shown["planning"],
            session.state.plan.active,
            desk.refolded(session).plan.active,
            session.state.told.plan_id is not None,
        ]

    assert modes() == [True] * 4
    leave(session, operator)
    say(session, operator)
    assert modes() == [False] * 4
    (write,) = desk.results(session)
    assert not write.is_error
    assert (session.workspace / "other.py").read_text() == "x = 1\n"


def test_the_approved_plan_outlives_a_compaction(operator: User, reviewer: User) -> None:
    """case:C033, complaints:K-12: byte for byte, and once."""
    session = play(operator, [submits(MARKED), ASKS, done()]).work()
    desk.approve(session, reviewer)
    session.work()
    compact(session)
    assert "MARK-42" not in heard(session)
    desk.answer(session, operator, "this")
    session.work()
    assert heard(session).count(MARKED.strip()) == 1
    assert session.review.sha256 == revisions.sha256(MARKED.encode())
    assert session.review.sha256 in heard(session)


def test_plan_mode_is_on_or_off(operator: User) -> None:
    """case:C034: left without a submission, nothing of it is half there."""
    session = play(operator, [done(2), {"tool_calls": [call("ExitPlanMode")]}, WRITES, done()])
    leave(session.work(), operator)
    say(session, operator)
    assert told(session)[-1] == "exit"
    assert desk.results(session)[0].is_error
    assert not Review.objects.exists()
    assert session.turn.state == "waiting", "the Write is a matter of permissions: it asks"
    assert queries.session(session.id).state.plan.active is False
