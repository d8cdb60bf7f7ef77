"""EnterPlanMode, and what leaving restores."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.permission import AUTO_IS_OFF, PermissionMode
from reviews.core.decisions import DecisionKind
from tests import desk, faults
from tests.desk import only
from tests.factories import DONE, call, one, play, submits
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db


ENTERED = {
    "entered_with_path": "Plan mode is on. From here on nothing may change except the plan file.",
    "already_active": "Plan mode is on already",
    "enter_failed": "EnterPlanMode failed: there is no folder for the plan",
}


@pytest.mark.parametrize("row", rows("enter_tool"))
def test_enter_tool_rows(row: Row, operator: User, settings: Settings, tmp_path: Path) -> None:
    """kimi:E1 E2 E3 E4."""
    if "fail" in row:
        faults.no_folder(settings, tmp_path)
    session = one(operator, call("EnterPlanMode"), plan=row["plan"] == "active")
    expect = wanted(row)
    result = only(session)
    assert result.is_error is expect["is_error"]
    assert ENTERED[expect["kind"]] in result.text
    assert desk.telemetry(session) == expect["telemetry"]
    if not result.is_error:
        assert f"Plan file: {desk.plan_path(session)}" in result.text


def test_entering_saves_the_permission_mode_and_leaving_restores_it(
    operator: User, reviewer: User
) -> None:
    """claude:C-01 claude:C-02."""
    session = play(
        operator,
        [{"tool_calls": [call("EnterPlanMode")]}, submits(), DONE],
        plan=False,
        permission_mode="accept_edits",
    ).work()
    assert session.state.plan.previous_mode is PermissionMode.ACCEPT_EDITS
    desk.decide(session, reviewer, DecisionKind.REJECT_AND_EXIT)
    assert session.state.permission_mode is PermissionMode.ACCEPT_EDITS
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.cause, left.restored_mode) == ("rejected_and_exited", "accept_edits")


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(True, ("auto", ""), id="allowed"),
        pytest.param(False, ("manual", AUTO_IS_OFF), id="switched off meanwhile"),
    ],
)
def test_the_restored_mode_is_checked_once_more(
    operator: User, reviewer: User, project: Project, *, allowed: bool, expected: tuple[str, str]
) -> None:
    """claude:C-03."""
    session = play(operator, [submits(), DONE], permission_mode="auto").work()
    Project.objects.filter(pk=project.pk).update(allow_auto=allowed)
    desk.approve(session, reviewer)
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.restored_mode, left.note) == expected
    assert session.state.permission_mode == expected[0]


def test_a_second_plan_of_a_session_has_an_id_of_its_own(operator: User, reviewer: User) -> None:
    enters = {"tool_calls": [call("EnterPlanMode")]}
    session = play(operator, [submits(), enters, submits("# Other"), DONE]).work()
    desk.approve(session, reviewer)
    session.work()
    first, second = (event.plan_id for event in desk.every(session, ev.PlanModeEntered))
    assert first != second
    assert session.state.plan.revision_count == {first: 1, second: 1}


def test_entering_without_a_plan_folder_records_nothing(
    operator: User, settings: Settings, tmp_path: Path
) -> None:
    """kimi:S12, vector:EN-03."""
    faults.no_folder(settings, tmp_path)
    session = one(operator, call("EnterPlanMode"), plan=False)
    assert not desk.every(session, ev.PlanModeEntered)
    assert not session.state.plan.active
