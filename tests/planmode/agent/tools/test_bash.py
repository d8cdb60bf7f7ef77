"""Bash: exit code and output, sandboxed when the guard says so."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode.agent.catalog import TOOLS, parse
from planmode.agent.limits import MIB, Limits
from planmode.agent.sandbox import Sandbox
from planmode.core.guard import CallFacts
from planmode.core.wire import canonical
from planmode.models import BackgroundTask
from planmode.shell.policy import Policy
from tests.jobs import Desk, ended
from tests.planmode.agent.tools.conftest import Ground
from tests.requirements import need


def test_output_and_exit_code(ground: Ground) -> None:
    assert ground.text("Bash", command="echo hello > a.txt; cat a.txt") == "Exit code 0\nhello\n"
    assert (ground.work / "a.txt").read_text() == "hello\n"
    assert ground.text("Bash", command="true") == "Exit code 0\n(no output)"
    assert ground.error("Bash", command="echo no >&2; exit 7") == "Exit code 7\nno\n"


def test_time_is_bounded(ground: Ground) -> None:
    error = ground.error("Bash", command="echo begun; sleep 600", timeout=1)
    assert error == "Ended after 1 s, with every process that it had started\nbegun\n"


def test_output_is_bounded(ground: Ground) -> None:
    text = ground.text("Bash", command="seq 1 100000")
    assert len(text) < 70_000
    assert "bytes left out" in text
    assert "printed too much" in ground.error("Bash", command="yes")


@pytest.mark.parametrize("boxed", [True, False])
def test_a_command_that_takes_too_much_memory_is_an_error(
    ground: Ground,
    boxed: bool,  # noqa: FBT001 - a column
) -> None:
    """fault:F39; the kernel refuses what one process wants too much, and the command says so."""
    error = limited(ground, Limits(memory=64 * MIB), boxed=boxed).error(
        "Bash", command="/usr/bin/python3 -c 'bytearray(2**30)'"
    )
    first, hint, said = error.split("\n", 2)
    assert first == "Exit code 1"
    assert hint == "(Perhaps a limit was met: a command may use 64 MiB of memory.)"
    assert said.endswith("MemoryError\n")


def test_processes_that_take_too_much_memory_together_are_an_error(ground: Ground) -> None:
    """fault:F39."""
    hungry = "/usr/bin/python3 -c 'import time; x = b\"x\" * (40 * 2**20); time.sleep(60)' &"
    error = limited(ground, Limits(memory=64 * MIB), boxed=False).error(
        "Bash", command=f"{hungry} {hungry} wait"
    )
    assert error.startswith(
        "Ended because it used more than 64 MiB of memory, with every process that it had started\n"
    )


def test_a_signal_of_a_limit_is_told(ground: Ground) -> None:
    error = ground.error("Bash", command="kill -XCPU $$")
    assert error.startswith("Exit code 152: it used more than 600 s of CPU time\n")


def limited(ground: Ground, limits: Limits, *, boxed: bool) -> Ground:
    """Return the same ground with other limits."""
    if boxed:
        need("working bubblewrap", Sandbox.probe().available)
    sandbox = Sandbox.probe() if boxed else Sandbox()
    return ground.changed(sandbox=replace(sandbox, limits=limits))


def test_a_sandboxed_command_changes_nothing(ground: Ground) -> None:
    need("working bubblewrap", Sandbox.probe().available)
    boxed = ground.changed(sandboxed=True)
    error = boxed.error("Bash", command="echo x > a.txt")
    assert error.startswith(
        "Exit code 1\n(It ran without network, on files that can't be changed.)"
    )
    assert not (ground.work / "a.txt").exists()
    assert boxed.text("Bash", command="ls") == "Exit code 0\n(no output)"


def test_without_a_sandbox_the_command_does_not_run(ground: Ground) -> None:
    bare = ground.changed(sandboxed=True, sandbox=Sandbox())
    assert "no sandbox" in bare.error("Bash", command="touch a.txt")
    assert not (ground.work / "a.txt").exists()


def test_a_workspace_that_is_gone_is_an_error(ground: Ground) -> None:
    ground.work.rmdir()
    assert "could not start" in ground.error("Bash", command="true")


def test_a_workspace_that_became_a_link_is_an_error(ground: Ground) -> None:
    ground.work.rmdir()
    ground.work.symlink_to(ground.plan.parents[3])
    assert "links are not followed" in ground.error("Bash", command="touch a.txt")
    assert not list(ground.plan.parents[3].rglob("a.txt"))


def test_the_summary_is_the_command(ground: Ground) -> None:
    bash = TOOLS["Bash"]
    args = parse(bash, r'{"command": "make\n\n test # \u001b[31m", "description": "harmless"}')
    assert bash.summary(args) == "Run make ⏎  test # \x1b[31m"
    long = parse(bash, '{"command": "' + "x" * 5000 + '"}')
    assert bash.summary(long).endswith("… (5000 characters)")


def test_a_command_runs_in_the_workspace(ground: Ground) -> None:
    assert ground.text("Bash", command="pwd -P").splitlines()[1] == str(Path(ground.work).resolve())


@pytest.mark.parametrize(
    ("command", "read_only", "targets", "understood"),
    [
        ("ls | head -3", True, ("ls", "head -3"), True),
        ("timeout 5 rm a", False, ("timeout 5 rm a", "rm a"), True),
        ("sh -c ls", False, ("sh -c ls",), False),
        ("ls 'a", False, (), False),
    ],
)
def test_the_guard_is_told_what_a_command_is(
    ground: Ground,
    command: str,
    read_only: bool,  # noqa: FBT001 - columns
    targets: tuple[str, ...],
    understood: bool,  # noqa: FBT001
) -> None:
    facts = facts_of(ground, command)
    assert (facts.read_only, facts.targets, facts.understood) == (read_only, targets, understood)


def test_git_only_reads_in_its_own_workspace(ground: Ground) -> None:
    need("working bubblewrap", Sandbox.probe().available)
    assert facts_of(ground, f"cd {ground.work} && git status").read_only
    assert not facts_of(ground, f"cd {ground.work.parent} && git status").read_only


def test_git_is_not_trusted_where_nothing_holds_what_it_starts(ground: Ground) -> None:
    bare = ground.changed(sandbox=Sandbox())
    assert not facts_of(bare, "ls && git diff").read_only
    assert facts_of(bare, "ls").read_only


def test_a_status_starts_no_program_of_the_repository(ground: Ground) -> None:
    (ground.work / "spy.sh").write_text("#!/bin/sh\ntouch spied\n")
    (ground.work / "spy.sh").chmod(0o755)
    git = "git init -q . && git config core.fsmonitor ./spy.sh && git status -s"
    assert "spy.sh" in ground.text("Bash", command=git)
    assert not (ground.work / "spied").exists()


def test_the_installation_decides_what_else_only_reads(ground: Ground, settings: Settings) -> None:
    assert not facts_of(ground, "less a.txt").read_only
    settings.SHELL_POLICY = Policy.of(["pagers"])
    assert facts_of(ground, "less a.txt").read_only


def facts_of(ground: Ground, command: str) -> CallFacts:
    tool = TOOLS["Bash"]
    return tool.facts(parse(tool, canonical({"command": command}).decode()), ground.context)


@pytest.mark.django_db
def test_a_command_in_the_background_is_a_task(operator: User) -> None:
    desk = Desk(operator)
    text = desk.text("Bash", command="echo hello > a.txt", run_in_background=True)
    assert text.startswith("Task 1 runs in the background, for 3600 s at most.\n")
    ended(BackgroundTask.objects.get())
    assert (desk.work / "a.txt").read_text() == "hello\n"


@pytest.mark.django_db
def test_in_the_background_a_planning_agent_changes_nothing(operator: User) -> None:
    """security:S06: what the guard sandboxes, it sandboxes there, too."""
    need("working bubblewrap", Sandbox.probe().available)
    desk = Desk(operator)
    result = desk.result("Bash", sandboxed=True, command="touch a.txt", run_in_background=True)
    assert "on files that can't be changed" in result.text
    task = ended(BackgroundTask.objects.get())
    assert (task.sandboxed, task.state) == (True, "failed")
    assert not (desk.work / "a.txt").exists()


@pytest.mark.django_db
def test_a_command_that_can_t_go_to_the_background_is_an_error(operator: User) -> None:
    desk = Desk(operator, Sandbox())
    boxed = desk.result("Bash", sandboxed=True, command="touch a.txt", run_in_background=True)
    assert boxed.is_error
    assert "no sandbox" in boxed.text
    desk.work.rename(desk.work.with_name("elsewhere"))
    assert "could not start" in desk.error("Bash", command="true", run_in_background=True)
    assert not BackgroundTask.objects.exists()


def test_the_summary_tells_that_it_goes_on() -> None:
    bash = TOOLS["Bash"]
    args = parse(bash, '{"command": "make serve", "run_in_background": true}')
    assert bash.summary(args) == "Run in the background make serve"
