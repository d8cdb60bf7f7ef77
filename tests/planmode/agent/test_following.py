"""Limits end commands that really run, and say so."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from planmode.agent.limits import MIB, Limit, Limits
from planmode.agent.sandbox import Finished, Sandbox
from tests.requirements import need

SPIN = "while :; do :; done"
HOLD = "/usr/bin/python3 -c 'import time; x = b\"x\" * (40 * 2**20); time.sleep(60)'"


@dataclass(frozen=True, slots=True)
class Limited:
    """One of the ways in which a command may run, with any limits."""

    sandbox: Sandbox
    sandboxed: bool
    work: Path

    def __call__(self, command: str, limits: Limits) -> Finished:
        return replace(self.sandbox, limits=limits).run(
            command, cwd=self.work, sandboxed=self.sandboxed, timeout_s=60, output_limit=10_000
        )


@pytest.fixture(params=["while planning", "while working", "without a sandbox"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Limited:
    work = tmp_path / "work"
    work.mkdir()
    if request.param == "without a sandbox":
        return Limited(Sandbox(), sandboxed=False, work=work)
    need("working bubblewrap", Sandbox.probe().available)
    return Limited(Sandbox.probe(), request.param == "while planning", work)


@pytest.fixture
def boxed(run: Limited) -> Limited:
    if not run.sandbox.available:
        pytest.skip("this is about the sandbox")
    return run


def test_a_process_that_uses_up_its_time_on_the_processor_is_ended(run: Limited) -> None:
    """By the kernel or by the watch, whichever sees it first."""
    finished = run(SPIN, Limits(cpu_s=1))
    assert finished.limit is Limit.CPU
    assert finished.exit_code in {None, 152}


def test_the_time_of_all_processes_counts(run: Limited) -> None:
    """Each of them stays below: only the watch can tell."""
    finished = run(f"({SPIN}) & ({SPIN}) & ({SPIN}) & ({SPIN}) & wait", Limits(cpu_s=1))
    assert (finished.exit_code, finished.limit) == (None, Limit.CPU)


def test_a_process_that_wants_too_much_memory_gets_none(run: Limited) -> None:
    """fault:F39."""
    finished = run("/usr/bin/python3 -c 'bytearray(2**30)'", Limits(memory=64 * MIB))
    assert finished.exit_code == 1
    assert finished.output.endswith("MemoryError\n")


def test_processes_that_hold_too_much_memory_together_are_ended(run: Limited) -> None:
    """fault:F39; each of them stays below."""
    finished = run(f"{HOLD} & {HOLD} & wait", Limits(memory=64 * MIB))
    assert (finished.exit_code, finished.limit) == (None, Limit.MEMORY)


def test_addresses_that_are_only_reserved_cost_nothing(run: Limited) -> None:
    """Runtimes reserve gigabytes at their start."""
    reserve = "import mmap; mmap.mmap(-1, 2**30, prot=0); print('reserved')"
    finished = run(f'/usr/bin/python3 -c "{reserve}"', Limits(memory=64 * MIB))
    assert finished.output == "reserved\n"


def test_a_command_that_multiplies_is_ended(run: Limited) -> None:
    """By the watch, or the kernel refuses more, for any user but the system's own."""
    finished = run("for i in $(seq 200); do sleep 60 & done; wait", Limits(processes=40))
    assert finished.limit is Limit.PROCESSES or "temporarily unavailable" in finished.output
    assert finished.exit_code != 0


def test_a_file_that_grows_too_large_is_not_written_on(run: Limited) -> None:
    target = "/tmp" if run.sandbox.available else "."  # noqa: S108 - the sandbox's own
    command = f"cd {target} && trap '' XFSZ && head -c 3000000 /dev/zero > big; stat -c %s big"
    finished = run(command, Limits(file_size=MIB))
    assert finished.output.splitlines()[-1] == str(MIB)
    assert "File too large" in finished.output


def test_a_command_that_grows_a_file_too_large_is_ended(run: Limited) -> None:
    target = "/tmp/big" if run.sandbox.available else "big"  # noqa: S108 - the sandbox's own
    finished = run(f"exec head -c 3000000 /dev/zero > {target}", Limits(file_size=MIB))
    assert finished == Finished(153, "", Limit.FILE_SIZE)


def test_open_files_are_bounded(run: Limited) -> None:
    opens = "import os; [os.open('/dev/null', os.O_RDONLY) for _ in range(100)]"
    finished = run(f'/usr/bin/python3 -c "{opens}"', Limits(open_files=50))
    assert "Too many open files" in finished.output


def test_no_core_is_left(run: Limited) -> None:
    """With the server's own limit, which may be none."""
    assert run("ulimit -Sc; ulimit -Hc", Limits()).output == "0\n0\n"


def test_no_limit_can_be_lifted_by_the_command(boxed: Limited) -> None:
    """Not even where the server is the system's own user: the namespace has no privilege."""
    lifted = "ulimit -d unlimited || ulimit -t unlimited || ulimit -f unlimited && echo lifted"
    assert "lifted" not in boxed(lifted, Limits()).output.splitlines()


def test_what_lies_in_memory_is_bounded(boxed: Limited) -> None:
    """fault:F39; files of /tmp and /dev/shm, and nothing else there can be written."""
    need("bubblewrap 0.7", boxed.sandbox.sight.scratch > 0)
    sight = replace(boxed.sandbox.sight, scratch=MIB)
    small = replace(boxed, sandbox=replace(boxed.sandbox, sight=sight))
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108 - the sandbox's own
        command = f"head -c 3000000 /dev/zero > {folder}/big; stat -c %s {folder}/big"
        output = small(command, Limits()).output
        assert "No space left on device" in output
        assert int(output.splitlines()[-1]) <= MIB
    output = small("for new in /new /dev/new; do echo x > $new; done", Limits()).output
    assert output.count("\n") == 2
    assert "line 1: /new: Read-only file system" in output
    assert "line 1: /dev/new: Read-only file system" in output
