"""The permission mode that comes back after plan mode."""

import pytest

from planmode.core.permission import (
    AUTO_IS_OFF,
    BREAKER_IS_OPEN,
    NO_REFUSALS,
    Breaker,
    BreakerLimits,
    PermissionMode,
    restored,
)

MANUAL = PermissionMode.MANUAL


@pytest.mark.parametrize("allow_auto", [True, False])
@pytest.mark.parametrize("mode", [m for m in PermissionMode if m is not PermissionMode.AUTO])
def test_what_nobody_can_switch_off_comes_back(mode: PermissionMode, *, allow_auto: bool) -> None:
    assert restored(mode, allow_auto=allow_auto) == (mode, "")


@pytest.mark.parametrize(
    ("previous", "allow_auto", "expected"),
    [
        pytest.param(PermissionMode.AUTO, True, (PermissionMode.AUTO, ""), id="allowed"),
        pytest.param(PermissionMode.AUTO, False, (MANUAL, AUTO_IS_OFF), id="switched off"),
        pytest.param(None, True, (MANUAL, ""), id="nothing was saved"),
    ],
)
def test_auto_comes_back_only_where_it_is_allowed(
    previous: PermissionMode | None, *, allow_auto: bool, expected: tuple[PermissionMode, str]
) -> None:
    assert restored(previous, allow_auto=allow_auto) == expected


OPEN = Breaker(3, 3, open=True)


def test_auto_does_not_come_back_through_an_open_breaker() -> None:
    """claude:C-03."""
    auto = PermissionMode.AUTO
    assert restored(auto, allow_auto=True, breaker=OPEN) == (MANUAL, BREAKER_IS_OPEN)
    assert restored(auto, allow_auto=False, breaker=OPEN) == (MANUAL, AUTO_IS_OFF)
    assert restored(auto, allow_auto=True, breaker=Breaker(2, 9)) == (auto, "")
    yolo = PermissionMode.YOLO
    assert restored(yolo, allow_auto=True, breaker=OPEN) == (yolo, "")


def test_a_call_that_ran_ends_the_row_and_not_the_sum() -> None:
    assert NO_REFUSALS.refused().refused() == Breaker(2, 2)
    assert Breaker(2, 2).ran() == Breaker(0, 2)
    assert OPEN.refused().open
    assert OPEN.ran().open


@pytest.mark.parametrize(
    ("breaker", "reached"),
    [
        (Breaker(2, 2), False),
        (Breaker(3, 3), True),
        (Breaker(1, 19), False),
        (Breaker(1, 20), True),
    ],
)
def test_three_in_a_row_or_twenty_in_all_are_too_many(breaker: Breaker, *, reached: bool) -> None:
    """claude:C-03."""
    assert BreakerLimits().reached(breaker) is reached


def test_the_limits_are_settings() -> None:
    assert BreakerLimits(in_row=1, total=9).reached(Breaker(1, 1))
    assert not BreakerLimits(in_row=9, total=9).reached(Breaker(3, 3))
