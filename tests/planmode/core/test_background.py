"""Background tasks: how they ended, and when they count as lost."""

from datetime import UTC, datetime

import pytest

from planmode.core.background import (
    GRACE_S,
    START_S,
    EndReason,
    Exit,
    Identity,
    Place,
    TaskState,
    can_be_seen,
    is_lost,
    state_of,
)

HERE = Place("alpha", "boot-2:pid-1")
OURS = Identity(HERE, 7, 100)
LIMIT_S = 3600.0


@pytest.mark.parametrize(
    ("code", "reason", "state"),
    [
        pytest.param(0, None, TaskState.DONE, id="ended well"),
        pytest.param(2, None, TaskState.FAILED, id="ended badly"),
        pytest.param(None, EndReason.TIME, TaskState.FAILED, id="took too long"),
        pytest.param(None, EndReason.OUTPUT, TaskState.FAILED, id="printed too much"),
        pytest.param(None, EndReason.NOT_STARTED, TaskState.FAILED, id="never began"),
        pytest.param(None, EndReason.STOPPED, TaskState.STOPPED, id="somebody stopped it"),
        pytest.param(None, EndReason.TERMINATED, TaskState.STOPPED, id="the host ends"),
    ],
)
def test_how_it_ended(code: int | None, reason: EndReason | None, state: TaskState) -> None:
    assert state_of(Exit(code, reason, 0, datetime(2026, 3, 1, tzinfo=UTC))) is state


@pytest.mark.parametrize(
    ("process", "alive", "age_s", "lost"),
    [
        pytest.param(OURS, True, 9e9, False, id="seen alive, however old"),
        pytest.param(OURS, False, 0.0, True, id="seen gone"),
        pytest.param(None, False, START_S, False, id="about to say who it is"),
        pytest.param(None, False, START_S + 1, True, id="never said who it is"),
        pytest.param(
            Identity(Place("alpha", "boot-1:pid-1"), 7, 100), True, 0.0, True, id="host restarted"
        ),
        pytest.param(
            Identity(Place("beta", "boot-9:pid-1"), 7, 100),
            False,
            LIMIT_S + GRACE_S,
            False,
            id="on another host, in its time",
        ),
        pytest.param(
            Identity(Place("beta", "boot-9:pid-1"), 7, 100),
            False,
            LIMIT_S + GRACE_S + 1,
            True,
            id="on another host, long over its time",
        ),
    ],
)
def test_when_it_is_lost(
    process: Identity | None,
    alive: bool,  # noqa: FBT001 - a row's value
    age_s: float,
    lost: bool,  # noqa: FBT001 - a row's value
) -> None:
    assert is_lost(process, HERE, alive=alive, age_s=age_s, limit_s=LIMIT_S) is lost


def test_a_number_means_something_in_its_own_namespace_only() -> None:
    assert can_be_seen(OURS, HERE)
    assert not can_be_seen(OURS, Place("alpha", "boot-2:pid-2"))
    assert not can_be_seen(OURS, Place("beta", "boot-2:pid-1"))
