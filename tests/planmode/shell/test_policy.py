"""What a deployment may decide about shell lines."""

import pytest

from planmode.shell.policy import BY_DEFAULT, STRICT, Permission, Policy, UnknownPermissionError


def test_names_are_added_to_the_default_and_taken_away() -> None:
    policy = Policy.of(["network_reads", "-wrappers"])
    assert policy.permissions == BY_DEFAULT - {Permission.WRAPPERS} | {Permission.NETWORK_READS}


def test_the_last_word_about_a_permission_counts() -> None:
    assert Policy.of(["-wrappers", "wrappers"]) == STRICT
    assert Policy.of([]) == STRICT


@pytest.mark.parametrize("name", ["everything", "", "-", "--wrappers", "WRAPPERS"])
def test_an_unknown_name_is_an_error(name: str) -> None:
    with pytest.raises(UnknownPermissionError):
        Policy.of([name])
