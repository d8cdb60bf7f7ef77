"""What a command may use, and how that is told to the kernel."""

import resource
import subprocess
from dataclasses import replace

import pytest

from planmode.agent.limits import MIB, Limit, Limits, of_exit, suspected

LIMITS = Limits(cpu_s=7, memory=64 * MIB, processes=33, file_size=3 * MIB, open_files=44)


def found(limits: Limits, shell: str, *, apart: bool = False) -> dict[str, list[str]]:
    """Return the soft and the hard limits that a command finds."""
    call = limits.call(shell, "cat /proc/self/limits", apart=apart)
    output = subprocess.run(call, check=True, capture_output=True, text=True).stdout  # noqa: S603 - the call is the test
    return {line[:26].strip(): line[26:].split()[:2] for line in output.splitlines()}


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/sh"])
def test_a_command_finds_every_limit_set(shell: str) -> None:
    """Whichever of the shells counts in whichever unit."""
    limits = found(LIMITS, shell)
    assert limits["Max cpu time"] == ["7", "12"]
    assert limits["Max data size"] == [str(64 * MIB)] * 2
    assert limits["Max address space"] == [str(32 * 64 * MIB)] * 2
    assert limits["Max file size"] == [str(3 * MIB)] * 2
    assert limits["Max open files"] == ["44", "44"]
    assert limits["Max core file size"] == ["0", "0"]


def test_processes_are_limited_where_they_are_counted_apart() -> None:
    """Elsewhere all processes of this user count, also the server's own."""
    assert not [row for row in LIMITS.rows("/bin/bash", apart=False) if row.flag == "u"]
    (row,) = (row for row in LIMITS.rows("/bin/bash", apart=True) if row.flag == "u")
    assert list(row.commands()) == ["ulimit -Su 33", "ulimit -Hu 33"]
    assert [row.flag for row in LIMITS.rows("/bin/sh", apart=True)][-1] == "p"


def test_no_limit_is_raised() -> None:
    """A process can't, without privileges; and the command would not start."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert found(replace(LIMITS, open_files=hard + 1), "/bin/bash")["Max open files"] == [
        str(hard),
        str(hard),
    ]


def test_a_command_is_the_first_to_go_when_memory_runs_out() -> None:
    call = LIMITS.call("/bin/bash", "cat /proc/self/oom_score_adj", apart=False)
    assert subprocess.run(call, check=True, capture_output=True).stdout == b"1000\n"  # noqa: S603 - the call is the test


@pytest.mark.parametrize("command", ["exit 3", "echo 'a b' \"$0\" $#", "true; (exit 4)", "nosuch"])
def test_the_command_is_what_the_shell_alone_makes_of_it(command: str) -> None:
    plain, limited = (
        subprocess.run(call, check=False, capture_output=True)  # noqa: S603 - the call is the test
        for call in (
            ["/bin/bash", "-c", command],
            LIMITS.call("/bin/bash", command, apart=False),
        )
    )
    assert (limited.returncode, limited.stdout) == (plain.returncode, plain.stdout)
    assert limited.stderr == plain.stderr


@pytest.mark.parametrize("limit", Limit)
def test_every_limit_can_be_told(limit: Limit) -> None:
    assert LIMITS.told(limit)


def test_what_is_told_has_its_unit() -> None:
    assert LIMITS.told(Limit.CPU) == "7 s of CPU time"
    assert LIMITS.told(Limit.MEMORY) == "64 MiB of memory"


def test_signals_of_limits_are_known_by_their_exit_codes() -> None:
    assert (of_exit(152), of_exit(153)) == (Limit.CPU, Limit.FILE_SIZE)
    assert (of_exit(0), of_exit(137)) == (None, None)


@pytest.mark.parametrize(
    ("output", "limit"),
    [
        ("MemoryError\n", Limit.MEMORY),
        ("tail: memory exhausted", Limit.MEMORY),
        ("bash: xmalloc: cannot allocate 12 bytes", Limit.MEMORY),
        ("java.lang.OutOfMemoryError: Java heap space", Limit.MEMORY),
        ("bash: fork: retry: Resource temporarily unavailable", Limit.PROCESSES),
        ("RuntimeError: can't start new thread", Limit.PROCESSES),
        ("OSError: [Errno 24] Too many open files: 'a'", Limit.OPEN_FILES),
        ("OSError: [Errno 27] File too large", Limit.FILE_SIZE),
        ("1 failed, 3 passed", None),
        ("", None),
    ],
)
def test_programs_speak_of_limits(output: str, limit: Limit | None) -> None:
    assert suspected(output) == limit
