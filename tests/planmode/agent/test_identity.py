"""Which process is which."""

import os
import subprocess
from dataclasses import replace

import pytest

from planmode.agent import identity
from planmode.core.background import Place
from tests.jobs import comes_true


@pytest.fixture
def child() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["/bin/sleep", "600"])


def test_this_process_knows_itself() -> None:
    own = identity.own()
    assert own.pid == os.getpid()
    assert own == identity.own()
    assert identity.alive(own)


def test_another_start_or_place_is_another_process() -> None:
    own = identity.own()
    assert not identity.alive(replace(own, started=own.started + 1))
    assert not identity.alive(replace(own, place=Place("elsewhere", own.place.spot)))
    assert not identity.alive(replace(own, pid=2**22 + 1))


def test_only_the_very_process_is_killed(child: "subprocess.Popen[bytes]") -> None:
    started = identity._started(child.pid)  # noqa: SLF001 - of another process than this one
    assert started is not None
    who = replace(identity.own(), pid=child.pid, started=started)
    identity.kill(replace(who, started=started + 1))
    assert identity.alive(who)
    identity.kill(who)
    assert comes_true(lambda: not identity.alive(who)), "a zombie runs no more"
    assert child.wait() == -9
    identity.kill(who)
