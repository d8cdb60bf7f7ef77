"""What a tree of processes uses is seen from outside."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planmode.agent import usage
from planmode.agent.limits import MIB, Limit, Limits
from planmode.agent.usage import Watch, descent
from tests.requirements import need

AMPLE = Limits(cpu_s=1000, memory=10_000 * MIB, processes=1000)


@contextmanager
def ready(command: str) -> Iterator[int]:
    """Yield the process of a shell that has said that it is ready."""
    with subprocess.Popen(  # noqa: S603 - the tests' own commands
        ["/bin/bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield process.pid
        finally:
            process.stdin.close()  # whoever reads it ends


@pytest.fixture(autouse=True)
def _children_are_named() -> None:
    need("a kernel that names children", usage.watchable())


def look(root: int, limits: Limits) -> Limit | None:
    return Watch(root, limits).exceeded()


def test_a_tree_within_its_limits_is_left_alone() -> None:
    with ready("cat <&0 & cat <&0 & echo ready; wait") as root:
        assert look(root, AMPLE) is None


def test_processes_are_counted_with_their_descendants_and_threads() -> None:
    threads = (
        "import sys, threading; go = sys.stdin.read; "
        "[threading.Thread(target=go, daemon=True).start() for _ in range(5)]; "
        "print('ready', flush=True); go()"
    )
    with ready(f'(/usr/bin/python3 -c "{threads}" <&0; true)') as root:
        assert len(descent(root, 100)) == 3
        assert look(root, Limits(processes=6)) is Limit.PROCESSES
        assert look(root, Limits(processes=8)) is None


def test_the_walk_through_a_tree_ends_when_it_is_too_large() -> None:
    with ready("for i in 1 2 3 4 5 6; do cat <&0 & done; echo ready; wait") as root:
        assert len(descent(root, 100)) == 7
        assert descent(root, 0) == [root]
        assert look(root, Limits(processes=3)) is Limit.PROCESSES


def test_time_on_the_processor_is_counted_after_a_child_has_ended() -> None:
    """A second in pieces, each by a process that is gone."""
    spin = "( i=0; while (( i < 20000 )); do (( i += 1 )); done )"
    with ready(f"for n in 1 2 3; do {spin}; done; echo ready; cat") as root:
        used = sum(usage.cpu_s(pid) for pid in descent(root, 100))
        assert used > 0
        assert look(root, Limits(cpu_s=0)) is Limit.CPU
        assert look(root, Limits(cpu_s=1000)) is None


HOLD = (
    "/usr/bin/python3 -c \"import sys; x = b'x' * (30 * 2**20); "
    "print('ready', flush=True); sys.stdin.read()\""
)


def test_memory_is_that_of_all_together() -> None:
    with ready(f"{HOLD} <&0 & {HOLD} <&0 >/dev/null & wait") as root:
        assert look(root, Limits(memory=20 * MIB)) is Limit.MEMORY
        assert look(root, Limits(memory=1000 * MIB)) is None


def test_pages_that_processes_share_count_once() -> None:
    """Five processes of one after a fork hold the same 30 MiB; the plain sum would be 150."""
    fork = (
        "import os, sys; x = b'x' * (30 * 2**20); "
        "[os.fork() or sys.exit(len(sys.stdin.read())) for _ in range(4)]; "
        "print('ready', flush=True); sys.stdin.read()"
    )
    with ready(f'exec /usr/bin/python3 -c "{fork}"') as root:
        tree = descent(root, 100)
        status = [Path(f"/proc/{pid}/status").read_bytes() for pid in tree]
        assert sum(map(usage.held, status)) > 100 * MIB
        assert look(root, Limits(memory=100 * MIB)) is None
        assert look(root, Limits(memory=25 * MIB)) is Limit.MEMORY


def test_a_look_is_followed_by_a_rest() -> None:
    with ready("cat <&0 & echo ready; wait") as root:
        watch = Watch(root, AMPLE)
        assert watch.exceeded() is None
        watch.limits = Limits(processes=0)
        assert watch.exceeded() is None
        watch.due = 0
        assert watch.exceeded() is Limit.PROCESSES


def test_a_process_that_is_gone_uses_nothing() -> None:
    with ready("echo ready") as root:
        pass
    assert not Path(f"/proc/{root}").exists()
    assert look(root, Limits(cpu_s=0, memory=1, processes=1)) is None
