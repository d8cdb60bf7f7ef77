"""Commands as real processes: bounded, alone, and gone at the end."""

import os
import socket
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings

from planmode.agent import bubblewrap
from planmode.agent.bubblewrap import SandboxError, Sight
from planmode.agent.limits import Limit
from planmode.agent.sandbox import Finished, Sandbox, SandboxMissingError
from tests.requirements import need

LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Runner:
    """One of the ways in which a command may run."""

    sandbox: Sandbox
    sandboxed: bool

    def __call__(self, command: str, cwd: Path, *, timeout_s: float = 30) -> Finished:
        return self.sandbox.run(
            command, cwd=cwd, sandboxed=self.sandboxed, timeout_s=timeout_s, output_limit=LIMIT
        )

    def token(self, seconds: int) -> str:
        """Return an argument of ``sleep`` that no other way and no other run uses."""
        way = 1 + 2 * self.sandboxed + self.sandbox.available
        return f"{seconds}.{way}{os.getpid():07}"


@pytest.fixture(params=["while planning", "while working", "without a sandbox"])
def run(request: pytest.FixtureRequest) -> Runner:
    if request.param == "without a sandbox":
        return Runner(Sandbox(), sandboxed=False)
    need("working bubblewrap", Sandbox.probe().available)
    return Runner(Sandbox.probe(), sandboxed=request.param == "while planning")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def box() -> Sandbox:
    sandbox = Sandbox.probe()
    need("working bubblewrap", sandbox.available)
    return sandbox


def _run(command: str, cwd: Path, *, sandboxed: bool, timeout_s: float = 30) -> Finished:
    return Sandbox.probe().run(
        command, cwd=cwd, sandboxed=sandboxed, timeout_s=timeout_s, output_limit=LIMIT
    )


def _gone(token: str) -> bool:
    """Return whether no process has ``token`` in its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (folder / "cmdline").read_bytes():
                return False
        except OSError:
            continue
    return True


def _comes_true(question: object, seconds: float = 10) -> bool:
    """Ask again until the answer is yes: a killed process takes a moment to disappear."""
    assert callable(question)
    end = time.monotonic() + seconds
    while not (answer := bool(question())) and time.monotonic() < end:
        pass
    return answer


def test_output_and_exit_code(work: Path, run: Runner) -> None:
    finished = run("echo out; echo err >&2; exit 3", work)
    assert finished == Finished(3, "out\nerr\n")


def test_a_command_starts_in_the_workspace(work: Path, run: Runner) -> None:
    (work / "a.txt").write_text("hello")
    assert run("pwd; cat a.txt", work).output == f"{work}\nhello"


def test_nobody_answers_a_command(work: Path, run: Runner) -> None:
    assert run("cat; echo done", work).output == "done\n"


def test_the_environment_is_clean(work: Path, monkeypatch: pytest.MonkeyPatch, run: Runner) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush")
    for name in ("BASH_ENV", "GIT_EXTERNAL_DIFF", "GIT_DIR", "LD_PRELOAD", "PYTHONPATH"):
        monkeypatch.setenv(name, "/dev/null")
    lines = run("env", work).output.splitlines()
    names = {line.partition("=")[0] for line in lines}
    shells_own = {"PWD", "SHLVL", "OLDPWD", "_"}
    assert names - shells_own <= {*bubblewrap.ENVIRONMENT, "TERM", "PLANMODE_CALL"}
    assert {"PATH", "HOME"} <= names
    quiet = {"GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
    assert {*quiet, "LESSSECURE=1"} <= set(lines)


def test_a_command_that_hangs_is_ended_with_its_children(work: Path, run: Runner) -> None:
    token = run.token(86411)
    started = time.monotonic()
    finished = run(f"echo begun; sleep {token} & sleep {token}", work, timeout_s=1)
    assert finished == Finished(None, "begun\n", Limit.TIME)
    assert time.monotonic() - started < 20
    assert _comes_true(lambda: _gone(token))


def test_a_child_in_the_background_does_not_outlive_the_command(work: Path, run: Runner) -> None:
    token = run.token(86412)
    finished = run(f"(sleep {token}; touch late.txt) & echo begun", work)
    assert finished == Finished(0, "begun\n")
    assert _comes_true(lambda: _gone(token))


def test_a_child_that_leaves_the_group_does_not_outlive_the_command(
    work: Path, run: Runner
) -> None:
    token = run.token(86413)
    command = f"setsid setsid sleep {token} >/dev/null 2>&1 & echo begun"
    assert run(command, work).exit_code == 0
    assert _comes_true(lambda: _gone(token))


def test_a_closed_output_is_not_the_end(work: Path, run: Runner) -> None:
    finished = run("exec >&- 2>&-; for i in $(seq 20000); do :; done; exit 4", work)
    assert finished == Finished(4, "")


def test_long_output_keeps_its_beginning_and_its_end(work: Path, run: Runner) -> None:
    finished = run("seq 1 100000", work)
    assert finished.cut
    assert finished.exit_code == 0
    assert finished.output.startswith("1\n2\n")
    assert finished.output.endswith("99999\n100000\n")
    assert "bytes left out" in finished.output
    assert len(finished.output) < LIMIT + 100


def test_a_command_that_only_prints_is_ended(work: Path, run: Runner) -> None:
    finished = run("yes", work, timeout_s=300)
    assert (finished.exit_code, finished.timed_out, finished.cut) == (None, False, True)
    assert len(finished.output) < LIMIT + 100


def test_output_is_always_text(work: Path, run: Runner) -> None:
    finished = run(r"printf 'a\000b\377c'", work)
    assert finished.output == "a\ufffdb\ufffdc"


def test_a_signal_is_an_exit_code(work: Path) -> None:
    assert _run("kill -TERM $$", work, sandboxed=False).exit_code == 143


def test_nothing_can_be_changed_in_the_sandbox(work: Path, box: Sandbox) -> None:
    (work / "a.txt").write_text("kept")
    command = "echo x > new.txt; echo x > a.txt; rm -f a.txt; mkdir d; chmod 0 a.txt; touch /usr/x"
    _run(command, work, sandboxed=True)
    assert [entry.name for entry in work.iterdir()] == ["a.txt"]
    assert (work / "a.txt").read_text() == "kept"
    assert box.available


def test_the_sandbox_shows_nothing_else(tmp_path: Path, work: Path, box: Sandbox) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "secret.txt").write_text("secret")
    (work / "link").symlink_to(other / "secret.txt")
    command = (
        f"cat {other}/secret.txt link; ls {tmp_path}; ls /home /root /var /etc/shadow; ls /proc"
    )
    output = _run(command, work, sandboxed=True).output
    assert "secret\n" not in output.replace("secret.txt", "")
    assert "other" not in output.replace(str(other), "")
    assert output.count("cannot access") == 4
    assert box.available


def test_the_sandbox_has_no_network(work: Path, box: Sandbox) -> None:
    output = _run("tail -n +3 /proc/net/dev | cut -d: -f1", work, sandboxed=True).output
    assert output.split() in (["lo"], [])
    assert box.available


def test_the_sandbox_has_a_scratch_folder_of_its_own(work: Path, box: Sandbox) -> None:
    output = _run("echo x > /tmp/scratch && cat /tmp/scratch; echo $HOME", work, sandboxed=True)
    assert output.output == "x\n/tmp\n"
    assert not Path("/tmp/scratch").exists()  # noqa: S108 - the host's, to see that it is another
    assert box.available


LEAVES: Final = "env -i setsid sh -c 'sleep 0.2; echo late > late.txt' >/dev/null 2>&1 & echo begun"


def test_nothing_outlives_a_command_whatever_it_drops(work: Path, box: Sandbox) -> None:
    """Its own group and environment are gone: the PID namespace holds the child."""
    before = _children()
    assert _run(LEAVES, work, sandboxed=False) == Finished(0, "begun\n")
    assert _children() == before
    assert _gone("sleep 0.2; echo late")
    assert not (work / "late.txt").exists()
    assert box.available


def _children() -> set[str]:
    """Return the processes of this test: those that lost their parents show by their command."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_a_working_command_changes_the_workspace_alone(
    tmp_path: Path, work: Path, box: Sandbox
) -> None:
    command = f"echo x > made.txt; mkdir d; touch /usr/x /etc/x; echo x > {tmp_path}/outside"
    _run(command, work, sandboxed=False)
    assert (work / "made.txt").read_text() == "x\n"
    assert (work / "d").is_dir()
    assert not (tmp_path / "outside").exists()
    assert not Path("/usr/x").exists()
    assert box.available


def test_a_working_command_sees_no_process_of_the_server(
    work: Path, box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush-hush")
    command = "cat /proc/[0-9]*/environ /proc/$PPID/environ | tr '\\0' '\\n'; ls -d /proc/[0-9]*"
    output = _run(command, work, sandboxed=False).output
    assert "hush" not in output
    assert f"/proc/{os.getpid()}" not in output.split()
    assert box.available


@pytest.mark.parametrize("sandboxed", [True, False])
def test_no_command_sees_the_servers_folders(
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    folders = [settings.DATA_DIR, settings.BASE_DIR, Path.home()]
    output = _run(f"ls -A {' '.join(map(str, folders))}", work, sandboxed=sandboxed).output
    assert output.count("cannot access") == len(folders)
    assert box.available


@pytest.mark.parametrize("sandboxed", [True, False])
def test_hidden_folders_are_empty_where_what_is_shown_holds_them(
    tmp_path: Path,
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    tools = tmp_path / "tools"
    for folder in (work / "var", tools / "app"):
        folder.mkdir(parents=True)
        (folder / "secret_key").write_text("hush")
    (tools / "tool").write_text("a tool")
    sight = Sight((str(tools),), (str(work / "var"), str(tools / "app"), str(work)))
    run = Runner(replace(box, sight=sight), sandboxed=sandboxed)
    output = run(f"cat {tools}/tool; ls -A var {tools}/app; cat var/* {tools}/app/*", work).output
    assert "a tool" in output
    assert "hush" not in output
    assert "\nsecret_key" not in output
    run(f"echo x > var/secret_key; echo x > {tools}/tool", work)
    assert (work / "var/secret_key").read_text() == "hush"
    assert (tools / "tool").read_text() == "a tool"


@pytest.mark.parametrize("sandboxed", [True, False])
def test_a_workspace_in_a_hidden_folder_is_shown_and_nothing_beside_it(
    tmp_path: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    """As where the product lies in a system folder, and its data in the product's."""
    app = tmp_path / "system" / "app"
    work = app / "var" / "workspaces" / "one"
    work.mkdir(parents=True)
    (app / "var" / "secret_key").write_text("hush")
    (work / "a.txt").write_text("hello")
    sight = Sight((str(tmp_path / "system"),), (str(app), str(app / "var")))
    run = Runner(replace(box, sight=sight), sandboxed=sandboxed)
    assert run(f"cat a.txt; ls -A {app} {app}/var", work).output == (
        f"hello{app}:\nvar\n\n{app}/var:\nworkspaces\n"
    )
    run(f"echo x > b.txt; echo x > {app}/var/secret_key", work)
    assert (work / "b.txt").exists() is not sandboxed
    assert (app / "var" / "secret_key").read_text() == "hush"
    shown = run(f"ls -A {app}/var", app)
    assert "secret_key" not in shown.output


def test_pipes_in_an_emptied_folder_are_not_masked(
    tmp_path: Path, work: Path, box: Sandbox
) -> None:
    hidden = work / "var"
    hidden.mkdir()
    for number in range(bubblewrap.MOST_MASKED + 1):
        os.mkfifo(hidden / f"pipe{number}")
    os.mkfifo(work / "pipe")
    run = Runner(replace(box, sight=Sight((), (str(hidden),))), sandboxed=True)
    assert run("ls -A . var; echo x > pipe", work).output.startswith(".:\npipe\nvar\n\nvar:\n/bin")


@pytest.mark.parametrize("behind", [False, True])
def test_a_workspace_that_becomes_a_link_is_refused(
    tmp_path: Path,
    work: Path,
    run: Runner,
    behind: bool,  # noqa: FBT001 - a column
) -> None:
    """Who can change the folder around it puts a link there, to what another one may not see."""
    other = tmp_path / "other"
    (other / "nested").mkdir(parents=True)
    work.rmdir()
    work.symlink_to(other)
    with pytest.raises(SandboxError, match="links are not followed"):
        run("touch made", work / "nested" if behind else work)
    assert not list(other.rglob("made"))


def test_the_servers_data_is_never_the_workspace(run: Runner) -> None:
    data = settings.DATA_DIR
    (data / "sessions" / "s1").mkdir(parents=True)
    for place in (data, data / "sessions" / "s1", data.parent):
        with pytest.raises(SandboxError, match="own data"):
            run("touch made", place)
    assert not list(data.parent.rglob("made"))


@dataclass(frozen=True, slots=True)
class Silent:
    """A bubblewrap that never says which process it started."""

    program: Path
    token: str

    def __call__(self, work: Path, abandoned: threading.Event, timeout_s: float) -> None:
        self.program.write_text(f"#!/bin/sh\nsleep {self.token} & sleep {self.token}\n")
        self.program.chmod(0o755)
        Sandbox(str(self.program), abandoned=abandoned).run(
            "true", cwd=work, sandboxed=True, timeout_s=timeout_s, output_limit=LIMIT
        )


def test_a_sandbox_that_does_not_begin_in_time_is_ended(tmp_path: Path, work: Path) -> None:
    silent = Silent(tmp_path / "silent", "86421.5")
    started = time.monotonic()
    with pytest.raises(SandboxError, match="did not begin in time"):
        silent(work, threading.Event(), 0.5)
    assert time.monotonic() - started < 20
    assert _comes_true(lambda: _gone(silent.token))


def test_a_sandbox_that_does_not_begin_is_ended_when_nobody_waits(
    tmp_path: Path, work: Path
) -> None:
    silent = Silent(tmp_path / "silent", "86422.5")
    abandoned = threading.Event()
    timer = threading.Timer(0.2, abandoned.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(SandboxError):
        silent(work, abandoned, 600)
    timer.join()
    assert time.monotonic() - started < 20
    assert _comes_true(lambda: _gone(silent.token))


def test_a_tool_chain_that_is_readable_is_on_the_path(
    tmp_path: Path, work: Path, box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "hello").write_text("#!/bin/sh\necho from the tool\n")
    (tools / "hello").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{tmp_path}:{os.environ['PATH']}")
    seeing = Runner(replace(box, sight=Sight((str(tools),))), sandboxed=False)
    assert seeing("hello; echo $PATH", work).output == (
        f"from the tool\n{tools}:{bubblewrap.SYSTEM_PATH}\n"
    )
    assert "not found" in Runner(replace(box, sight=Sight()), sandboxed=False)("hello", work).output


@pytest.mark.parametrize("sandboxed", [True, False])
def test_no_command_has_a_privilege(
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    """With those of its namespace it could make the read-only folders writable again."""
    output = _run("grep Cap /proc/self/status", work, sandboxed=sandboxed).output
    assert {line.split()[1] for line in output.splitlines()} == {"0" * 16}
    assert box.available


def test_the_network_is_kept_while_working(work: Path, box: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        command = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]} && echo reached"
        assert _run(command, work, sandboxed=False).output == "reached\n"
        assert "reached" not in _run(command, work, sandboxed=True).output
    assert box.available


def test_pipes_and_sockets_of_the_workspace_are_closed_while_planning(
    work: Path, box: Sandbox
) -> None:
    (work / "deep").mkdir()
    os.mkfifo(work / "deep" / "pipe")
    reading = os.open(work / "deep" / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(work / "socket"))
        server.listen()
        server.settimeout(0)
        connects = "import socket; socket.socket(socket.AF_UNIX).connect('socket')"
        output = _run(
            f'echo out > deep/pipe; /usr/bin/python3 -c "{connects}"', work, sandboxed=True
        ).output
        assert "deep/pipe: Permission denied" in output
        assert "ConnectionRefusedError" in output
        with pytest.raises(BlockingIOError):
            server.accept()
    assert os.read(reading, 10) == b""
    os.close(reading)
    assert box.available


def test_a_workspace_that_can_not_be_searched_for_them_is_refused(work: Path, box: Sandbox) -> None:
    for number in range(bubblewrap.MOST_MASKED + 1):
        os.mkfifo(work / f"pipe{number}")
    with pytest.raises(SandboxError, match="too many pipes"):
        _run("true", work, sandboxed=True)
    assert _run("true", work, sandboxed=False).exit_code == 0
    assert box.available


def test_without_a_sandbox_nothing_runs_unsandboxed_instead(work: Path) -> None:
    bare = Sandbox()
    assert not bare.available
    with pytest.raises(SandboxMissingError):
        bare.run("touch x", cwd=work, sandboxed=True, timeout_s=5, output_limit=LIMIT)
    assert not list(work.iterdir())


def test_a_missing_workspace_is_an_error_that_can_be_caught(work: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        _run("true", work / "gone", sandboxed=False)


def test_the_host_is_probed_once() -> None:
    assert Sandbox.probe() == Sandbox.probe()


def test_what_keeps_a_command_from_its_limits_is_told(tmp_path: Path, box: Sandbox) -> None:
    assert box.unheld() == []
    assert Sandbox().unheld() == []
    unbounded = replace(box, sight=replace(box.sight, scratch=0))
    assert unbounded.unheld() == ["bubblewrap before 0.7 can't bound /tmp and /dev/shm"]
    program = tmp_path / "lifting"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift 4; exec cat "$@"\n')
    program.chmod(0o755)
    assert "Max core file size is not known" in replace(box, bwrap=str(program)).unheld()
