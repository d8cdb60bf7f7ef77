"""The process that follows a command: what it writes down of it."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from planmode.agent.following import Prepared
from planmode.agent.sandbox import Sandbox
from planmode.agent.supervisor import ORDER, Order, followed
from planmode.core.background import EndReason
from planmode.store.taskfiles import TaskFiles


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """What this process did with its signals, it does again after the test."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    found = TaskFiles(tmp_path / "task")
    found.make()
    return found


def order(files: TaskFiles, tmp_path: Path, command: str, limit_s: float = 60) -> Order:
    work = tmp_path / "work"
    work.mkdir()
    return Order(str(files.root), Sandbox().prepared(command, work, sandboxed=False), limit_s)


def test_an_order_survives_its_way_to_the_process(files: TaskFiles, tmp_path: Path) -> None:
    made = order(files, tmp_path, "echo 'é \udcff' | cat")
    assert ORDER.validate_json(ORDER.dump_json(order_of(made))) == order_of(made)


def order_of(made: Order) -> Order:
    """Return the order as a model can have made it: its arguments are clean text."""
    argv = [word.replace("\udcff", "") for word in made.prepared.argv]
    prepared = made.prepared
    clean = Prepared(argv, prepared.cwd, prepared.environment, prepared.mark, prepared.limits)
    return Order(made.folder, clean, made.limit_s)


def test_exit_code_and_output_are_written_down(files: TaskFiles, tmp_path: Path) -> None:
    end = followed(order(files, tmp_path, "echo out; echo err >&2; exit 7"), files)
    assert (end.exit_code, end.reason, end.size) == (7, None, 8)
    assert files.read(0, 100).content == b"out\nerr\n"


def test_whoever_asks_ends_it(files: TaskFiles, tmp_path: Path) -> None:
    files.ask_to_stop()
    end = followed(order(files, tmp_path, "sleep 600"), files)
    assert (end.exit_code, end.reason) == (None, EndReason.STOPPED)


def test_the_host_s_signal_ends_it(files: TaskFiles, tmp_path: Path) -> None:
    end = followed(order(files, tmp_path, "kill -TERM $PPID; sleep 600"), files)
    assert (end.exit_code, end.reason) == (None, EndReason.TERMINATED)


def test_time_is_bounded(files: TaskFiles, tmp_path: Path) -> None:
    end = followed(order(files, tmp_path, "sleep 600", limit_s=0.3), files)
    assert (end.exit_code, end.reason) == (None, EndReason.TIME)


def test_a_command_that_can_t_start_says_why(files: TaskFiles) -> None:
    gone = Order(str(files.root), Prepared(["/nowhere/sh"], mark="m"), 60)
    end = followed(gone, files)
    assert (end.exit_code, end.reason) == (None, EndReason.NOT_STARTED)
    assert b"/nowhere/sh" in files.read(0, 1000).content
