"""The permission mode that comes back after plan mode."""

import pytest

from planmode.core.permission import AUTO_IS_OFF, PermissionMode, restored

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
