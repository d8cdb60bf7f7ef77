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


def test_output_and_exit_code(tmp_path: Path, *, sandboxed: bool) -> None:
    finished = _run("echo out; echo err >&2; exit 3", tmp_path, sandboxed=sandboxed)
    assert finished == Finished(3, "out\nerr\n")


def test_a_command_starts_in_the_workspace(tmp_path: Path, *, sandboxed: bool) -> None:
    (tmp_path / "a.txt").write_text("hello")
    assert _run("pwd; cat a.txt", tmp_path, sandboxed=sandboxed).output == f"{tmp_path}\nhello"


def test_nobody_answers_a_command(tmp_path: Path, *, sandboxed: bool) -> None:
    assert _run("cat; echo done", tmp_path, sandboxed=sandboxed).output == "done\n"


def test_the_environment_is_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sandboxed: bool
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush")
    monkeypatch.setenv("BASH_ENV", "/dev/null")
    lines = _run("env", tmp_path, sandboxed=sandboxed).output.splitlines()
    names = {line.partition("=")[0] for line in lines}
    shells_own = {"PWD", "SHLVL", "OLDPWD", "_"}
    assert names - shells_own <= {"PATH", "HOME", "LANG", "TERM", "PLANMODE_CALL"}
    assert {"PATH", "HOME"} <= names


def test_a_command_that_hangs_is_ended_with_its_children(
    tmp_path: Path, *, sandboxed: bool
) -> None:
    token = "86411.25" if sandboxed else "86411.5"
    started = time.monotonic()
    finished = _run(
        f"echo begun; sleep {token} & sleep {token}", tmp_path, sandboxed=sandboxed, timeout_s=1
    )
    assert finished == Finished(None, "begun\n", timed_out=True)
    assert time.monotonic() - started < 20
    assert _comes_true(lambda: _gone(token))


def test_a_child_in_the_background_does_not_outlive_the_command(
    tmp_path: Path, *, sandboxed: bool
) -> None:
    token = "86412.25" if sandboxed else "86412.5"
    finished = _run(f"(sleep {token}; touch late.txt) & echo begun", tmp_path, sandboxed=sandboxed)
    assert finished == Finished(0, "begun\n")
    assert _comes_true(lambda: _gone(token))


def test_a_child_that_leaves_the_group_does_not_outlive_the_command(
    tmp_path: Path, *, sandboxed: bool
) -> None:
    token = "86413.25" if sandboxed else "86413.5"
    command = f"setsid setsid sleep {token} >/dev/null 2>&1 & echo begun"
    assert _run(command, tmp_path, sandboxed=sandboxed).exit_code == 0
    assert _comes_true(lambda: _gone(token))


def test_a_closed_output_is_not_the_end(tmp_path: Path, *, sandboxed: bool) -> None:
    finished = _run(
        "exec >&- 2>&-; for i in $(seq 20000); do :; done; exit 4", tmp_path, sandboxed=sandboxed
    )
    assert finished == Finished(4, "")


def test_long_output_keeps_its_beginning_and_its_end(tmp_path: Path, *, sandboxed: bool) -> None:
    finished = _run("seq 1 100000", tmp_path, sandboxed=sandboxed)
    assert finished.cut
    assert finished.exit_code == 0
    assert finished.output.startswith("1\n2\n")
    assert finished.output.endswith("99999\n100000\n")
    assert "bytes left out" in finished.output
    assert len(finished.output) < LIMIT + 100


def test_a_command_that_only_prints_is_ended(tmp_path: Path, *, sandboxed: bool) -> None:
    finished = _run("yes", tmp_path, sandboxed=sandboxed, timeout_s=300)
    assert (finished.exit_code, finished.timed_out, finished.cut) == (None, False, True)
    assert len(finished.output) < LIMIT + 100


def test_output_is_always_text(tmp_path: Path, *, sandboxed: bool) -> None:
    finished = _run(r"printf 'a\000b\377c'", tmp_path, sandboxed=sandboxed)
    assert finished.output == "a\ufffdb\ufffdc"


def test_a_signal_is_an_exit_code(tmp_path: Path) -> None:
    assert _run("kill -TERM $$", tmp_path, sandboxed=False).exit_code == 143


def test_nothing_can_be_changed_in_the_sandbox(tmp_path: Path, box: Sandbox) -> None:
    (tmp_path / "a.txt").write_text("kept")
    command = "echo x > new.txt; echo x > a.txt; rm -f a.txt; mkdir d; chmod 0 a.txt; touch /usr/x"
    _run(command, tmp_path, sandboxed=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "kept"
    assert box.available


def test_the_sandbox_shows_nothing_else(tmp_path: Path, box: Sandbox) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
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


def test_the_sandbox_has_no_network(tmp_path: Path, box: Sandbox) -> None:
    output = _run("tail -n +3 /proc/net/dev | cut -d: -f1", tmp_path, sandboxed=True).output
    assert output.split() in (["lo"], [])
    assert box.available


def test_the_sandbox_has_a_scratch_folder_of_its_own(tmp_path: Path, box: Sandbox) -> None:
    output = _run("echo x > /tmp/scratch && cat /tmp/scratch; echo $HOME", tmp_path, sandboxed=True)
    assert output.output == "x\n/tmp\n"
    assert not Path("/tmp/scratch").exists()  # noqa: S108 - the host's, to see that it is another
    assert box.available


def test_without_a_sandbox_nothing_runs_unsandboxed_instead(tmp_path: Path) -> None:
    bare = Sandbox()
    assert not bare.available
    with pytest.raises(SandboxMissingError):
        bare.run("touch x", cwd=tmp_path, sandboxed=True, timeout_s=5, output_limit=LIMIT)
    assert not list(tmp_path.iterdir())


def test_a_missing_workspace_is_an_error_that_can_be_caught(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        _run("true", tmp_path / "gone", sandboxed=False)


def test_the_host_is_probed_once() -> None:
    assert Sandbox.probe() == Sandbox.probe()
