"""All calls of one reply, judged one at a time."""

import pytest
from django.contrib.auth.models import User

from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.errors import RulesInvalidError
from planmode.core.options import SHOWN_FROM
from planmode.core.rules import Level, parse_rules
from planmode.store import blobs, revisions
from reviews.core.decisions import DecisionKind
from reviews.models import Approval, Review
from tests import desk, faults
from tests.factories import PLAN, STOPS_EARLY, Play, call, play
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db


def batch(row: Row, operator: User) -> Play:
    """Start the session that a row describes."""
    places = {"$PLAN": "${plan_file}", "$OTHER": "other.py"}
    calls = [
        call(name, **{key: places.get(str(value), value) for key, value in args.items()})
        for name, args in row["calls"]
    ]
    session = play(
        operator,
        [{"tool_calls": calls}, STOPS_EARLY],
        permission_mode=row["mode"],
        plan=row.get("start") != "inactive",
    )
    if "plan_file" in row:
        desk.put_plan(session, row["plan_file"].encode())
    return session


def asked_for_itself(session: Play) -> list[ev.Event]:
    """Return the replies before ours tells an agent that it stopped too early."""
    log = desk.log(session)
    told = [isinstance(e, ev.ReminderInjected) and e.variant == "turn_end" for e in log]
    until = told.index(True) if True in told else len(log)
    return [event for event in log[:until] if isinstance(event, ev.ModelReplied)]


def outcome(session: Play) -> Row:
    """Return what a batch led to, in the vectors' words."""
    reviews = list(Review.objects.filter(session_id=session.id).exclude(outcome="auto_approved"))
    asked = len(reviews) + Approval.objects.filter(session_id=session.id).count()
    recorded = desk.every(session, ev.PlanRevisionRecorded)
    found: Row = {
        "approvals": asked,
        "active_after": session.state.plan.active,
        "errors": [result.is_error for result in desk.results(session)],
        "revisions": len(recorded),
        "llm_calls": len(asked_for_itself(session)),
        "written": (session.workspace / "other.py").exists(),
    }
    for review in reviews:
        found["reviewed"] = revisions.content(revisions.find(review.revision_id)).decode()
        shown = len(review.options) >= SHOWN_FROM
        found["options_shown"] = len(review.options) if shown else 0
    return found


def write_rules(row: Row, project: Project) -> None:
    """Give the project the row's rules; those that ours can't even be told are refused."""
    for rule in row.get("rules", []):
        line = f"{rule['decision']} {rule['pattern']}"
        if rule["decision"] == "allow":
            with pytest.raises(RulesInvalidError, match="can't be allowed"):
                parse_rules([line], Level.INSTALLATION)
        else:
            Project.objects.filter(pk=project.pk).update(rules=line)


def rejected(session: Play) -> bool:
    return session.turn.state == "stopped" and session.turn.reason.startswith("rejected")


@pytest.mark.parametrize("row", rows("batch"))
def test_batch_rows(
    row: Row, operator: User, reviewer: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kimi:G9 X5 X7 V3 V4 V7 R4: guard and review are asked for each call when it runs."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    if row.get("blob_store") == "fails":
        monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    expect = wanted(row)
    if not expect["approvals"]:
        expect.pop("reviewed", None)  # what the reference's card showed, where ours opens none
    write_rules(row, project)
    session = batch(row, operator).work()
    for response in row["responses"][: expect["approvals"]]:
        kind, fields = desk.translated(response)
        desk.decide(session, reviewer, kind, **fields)
        session.work()
    if expect["approvals"] and not row["responses"]:  # ours asks where the reference did not
        desk.approve(session, reviewer)
        session.work()
    found = outcome(session)
    assert {name: found.get(name) for name in expect} == expect
    assert session.turn.state == "done" or desk.stopped_early(session) or rejected(session)
    assert desk.refolded(session) == session.state


def test_two_submissions_in_one_reply_make_one_card(operator: User, reviewer: User) -> None:
    """case:C066, fault:F46; the second one finds the same bytes, already decided."""
    twice = [call("ExitPlanMode"), call("ExitPlanMode")]
    session = play(operator, [{"tool_calls": twice}, STOPS_EARLY])
    desk.put_plan(session, PLAN.encode())
    session.work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    session.work()
    assert Review.objects.count() == 1
    first, second = desk.results(session)
    assert not first.is_error
    assert second.is_error
    assert "has not changed since revision v1" in second.text
    assert desk.stopped_early(session)
