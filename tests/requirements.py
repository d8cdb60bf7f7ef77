"""What some tests need of the machine."""

import os

import pytest


def need(name: str, found: bool) -> None:  # noqa: FBT001 - reads as a sentence: need("rg", found)
    """Skip the test when ``name`` is not there; on the build server that is a failure."""
    if found:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"the build server must have {name}")
    pytest.skip(f"this machine has no {name}")
