"""ExitPlanMode: what it submits, and what it does not."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from planmode import turns
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.guard import Allow
from planmode.signals import Appended, events_appended
from planmode.store import planfiles
from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests import desk
from tests.desk import only
from tests.factories import DONE, PLAN, STOPS_EARLY, Play, call, one, play, submits
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db


# ExitPlanMode without a person


LEFT = {
    "auto_approved": "No person reviewed it.",
    "no_plan_with_path": "There is no plan to submit",
}


@pytest.mark.parametrize("row", [r for r in rows("exit_direct") if r.id != "XD-05"])
def test_exit_direct_rows(row: Row, operator: User, project: Project) -> None:
    """kimi:X6, the row "auto"; kimi:PR1638 the text points to the original instruction."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    options = [{"label": f"Option {n}"} for n in range(row["options"])]
    session = play(
        operator,
        [{"tool_calls": [call("ExitPlanMode", **({"options": options} if options else {}))]}, DONE],
        permission_mode=row["mode"],
    )
    desk.put_plan(session, row["status"]["content"].encode())
    session.work()
    expect = wanted(row)
    result = only(session)
    assert result.is_error is expect["is_error"]
    assert LEFT[expect["kind"]] in result.text
    assert str(planfiles.path(session.id, session.state.plan.ids[0])) in result.text
    assert len(desk.every(session, ev.PlanModeExited)) == expect["exit_calls"]
    assert len(desk.every(session, ev.PlanRevisionRecorded)) == expect["revision_calls"]
    check_telemetry(session, expect["telemetry"])


def check_telemetry(session: Play, expected: list[list[Any]]) -> None:
    """Compare names, and of the properties those that the vectors know."""
    found = [
        [name, {key: value for key, value in properties.items() if key in wanted_properties}]
        for (name, properties), (_, wanted_properties) in zip(
            desk.telemetry(session), expected, strict=True
        )
    ]
    assert found == expected


@pytest.mark.parametrize("mode", ["manual", "accept_edits", "yolo", "auto"])
def test_outside_auto_nothing_leaves_without_a_review(operator: User, mode: str) -> None:
    """vector:XD-05. There is no direct way: the call waits, also in auto where not allowed."""
    session = play(operator, [submits(), DONE], permission_mode=mode).work()
    assert session.review.status == "open"
    assert session.turn.state == "waiting"
    assert not desk.every(session, ev.PlanModeExited)
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted"]


def test_a_guard_that_let_exit_pass_would_not_end_plan_mode(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """vector:XD-05: the tool itself can only hand over, never leave."""
    monkeypatch.setattr(turns, "judge", lambda *_: Allow())
    session = play(operator, [submits(), DONE])
    with pytest.raises(AssertionError, match="without a review"):
        session.work()
    assert session.state.plan.active
    assert (session.turn.state, session.turn.reason) == ("failed", "internal_error")


def test_an_exit_that_fails_leaves_nothing_of_the_submission(
    operator: User, project: Project
) -> None:
    """vector:XD-08. Revision, approval and exit are one transaction; the reference tells half."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = play(operator, [submits(), DONE], permission_mode="auto")
    events_appended.connect(fails_on_exit)
    try:
        with pytest.raises(ZeroDivisionError):
            session.work()
    finally:
        events_appended.disconnect(fails_on_exit)
    assert session.state.plan.active
    assert not Review.objects.exists()
    assert not desk.telemetry(session)
    assert session.turn.state == "failed"


def fails_on_exit(appended: Appended, **_: object) -> None:
    if any(isinstance(logged.event, ev.PlanModeExited) for logged in appended.events):
        raise ZeroDivisionError


# ExitPlanMode that submits nothing


def missing(path: Path) -> None:
    path.unlink(missing_ok=True)


def blank(path: Path) -> None:
    path.write_text(" \n\t")


def too_large(path: Path) -> None:
    path.write_bytes(b"x" * (planfiles.LARGEST + 1))


def not_utf8(path: Path) -> None:
    path.write_bytes(b"# Plan \xff")


def with_nul(path: Path) -> None:
    path.write_bytes(b"# Plan \0")


def link(path: Path) -> None:
    target = path.with_suffix(".target")
    target.write_text("# Somebody else's")
    path.symlink_to(target)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        (missing, "There is no plan to submit"),
        (blank, "There is no plan to submit"),
        (too_large, "is larger than 1048576 bytes"),
        (not_utf8, "is not UTF-8 at byte 7"),
        (with_nul, "holds a NUL at byte 7"),
        (link, "is a link, and links are not followed"),
        (pipe, "is no regular file"),
        (folder, "is no regular file"),
    ],
)
def test_what_can_t_be_submitted_opens_no_review(
    operator: User, prepare: Callable[[Path], None], told: str
) -> None:
    """kimi:V1, kimi:S16 X4 X6: an error that the agent can act on, never a failed turn."""
    session = play(operator, [{"tool_calls": [call("ExitPlanMode")]}, STOPS_EARLY])
    path = desk.plan_path(session)
    path.parent.mkdir(parents=True)
    prepare(path)
    session.work()
    result = only(session)
    assert result.is_error
    assert told in " ".join(result.text.split())
    assert not Review.objects.exists()
    assert not session.state.plan.revision_count
    assert session.state.plan.active
    assert desk.stopped_early(session)


def test_unchanged_bytes_after_a_decision_are_refused_with_the_reason(
    operator: User, reviewer: User
) -> None:
    """complaints:K-43."""
    again = {"after": "revise", "tool_calls": [call("ExitPlanMode")]}
    session = play(operator, [submits(), again, STOPS_EARLY]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    session.work()
    refused = desk.results(session)[-1]
    assert refused.is_error
    assert "not changed since revision v1, whose review ended as: revise" in refused.text
    assert Review.objects.count() == 1


def test_an_exit_outside_plan_mode_is_refused(operator: User) -> None:
    """kimi:X6, the row "plan inactive"."""
    session = one(operator, call("ExitPlanMode"), plan=False)
    assert only(session).is_error
    assert "ExitPlanMode works only while plan mode is on" in only(session).text
    assert not desk.telemetry(session)


def test_the_decision_stays_bound_to_the_bytes_that_were_shown(
    operator: User, reviewer: User
) -> None:
    """case:C058, kimi:R4 V8; the file on the disk may say anything by now."""
    session = play(operator, [submits(), DONE]).work()
    desk.put_plan(session, b"# Something nobody has read")
    desk.approve(session, reviewer)
    session.work()
    approved = desk.results(session)[-1].text
    assert PLAN.strip() in approved
    assert "nobody has read" not in approved
