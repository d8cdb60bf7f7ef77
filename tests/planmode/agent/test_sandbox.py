"""Commands as real processes: bounded, alone, and gone at the end."""

import time
from pathlib import Path

import pytest

from planmode.agent.sandbox import Finished, Sandbox, SandboxMissingError
from tests.requirements import need

LIMIT = 10_000


@pytest.fixture(params=["sandboxed", "plain"])
def sandboxed(request: pytest.FixtureRequest) -> bool:
    boxed: bool = request.param == "sandboxed"
    if boxed:
        need("working bubblewrap", Sandbox.probe().available)
    return boxed


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


def test_output_and_exit_code(work: Path, *, sandboxed: bool) -> None:
    finished = _run("echo out; echo err >&2; exit 3", work, sandboxed=sandboxed)
    assert finished == Finished(3, "out\nerr\n")


def test_a_command_starts_in_the_workspace(work: Path, *, sandboxed: bool) -> None:
    (work / "a.txt").write_text("hello")
    assert _run("pwd; cat a.txt", work, sandboxed=sandboxed).output == f"{work}\nhello"


def test_nobody_answers_a_command(work: Path, *, sandboxed: bool) -> None:
    assert _run("cat; echo done", work, sandboxed=sandboxed).output == "done\n"


def test_the_environment_is_clean(
    work: Path, monkeypatch: pytest.MonkeyPatch, *, sandboxed: bool
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush")
    monkeypatch.setenv("BASH_ENV", "/dev/null")
    lines = _run("env", work, sandboxed=sandboxed).output.splitlines()
    names = {line.partition("=")[0] for line in lines}
    shells_own = {"PWD", "SHLVL", "OLDPWD", "_"}
    assert names - shells_own <= {"PATH", "HOME", "LANG", "TERM", "PLANMODE_CALL"}
    assert {"PATH", "HOME"} <= names


def test_a_command_that_hangs_is_ended_with_its_children(work: Path, *, sandboxed: bool) -> None:
    token = "86411.25" if sandboxed else "86411.5"
    started = time.monotonic()
    finished = _run(
        f"echo begun; sleep {token} & sleep {token}", work, sandboxed=sandboxed, timeout_s=1
    )
    assert finished == Finished(None, "begun\n", timed_out=True)
    assert time.monotonic() - started < 20
    assert _comes_true(lambda: _gone(token))


def test_a_child_in_the_background_does_not_outlive_the_command(
    work: Path, *, sandboxed: bool
) -> None:
    token = "86412.25" if sandboxed else "86412.5"
    finished = _run(f"(sleep {token}; touch late.txt) & echo begun", work, sandboxed=sandboxed)
    assert finished == Finished(0, "begun\n")
    assert _comes_true(lambda: _gone(token))


def test_a_child_that_leaves_the_group_does_not_outlive_the_command(
    work: Path, *, sandboxed: bool
) -> None:
    token = "86413.25" if sandboxed else "86413.5"
    command = f"setsid setsid sleep {token} >/dev/null 2>&1 & echo begun"
    assert _run(command, work, sandboxed=sandboxed).exit_code == 0
    assert _comes_true(lambda: _gone(token))


def test_a_closed_output_is_not_the_end(work: Path, *, sandboxed: bool) -> None:
    finished = _run(
        "exec >&- 2>&-; for i in $(seq 20000); do :; done; exit 4", work, sandboxed=sandboxed
    )
    assert finished == Finished(4, "")


def test_long_output_keeps_its_beginning_and_its_end(work: Path, *, sandboxed: bool) -> None:
    finished = _run("seq 1 100000", work, sandboxed=sandboxed)
    assert finished.cut
    assert finished.exit_code == 0
    assert finished.output.startswith("1\n2\n")
    assert finished.output.endswith("99999\n100000\n")
    assert "bytes left out" in finished.output
    assert len(finished.output) < LIMIT + 100


def test_a_command_that_only_prints_is_ended(work: Path, *, sandboxed: bool) -> None:
    finished = _run("yes", work, sandboxed=sandboxed, timeout_s=300)
    assert (finished.exit_code, finished.timed_out, finished.cut) == (None, False, True)
    assert len(finished.output) < LIMIT + 100


def test_output_is_always_text(work: Path, *, sandboxed: bool) -> None:
    finished = _run(r"printf 'a\000b\377c'", work, sandboxed=sandboxed)
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
