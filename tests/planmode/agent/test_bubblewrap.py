"""What bubblewrap keeps a command from: changes, secrets, privileges."""

import gzip
import hashlib
import os
import shutil
import socket
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from planmode.agent.bubblewrap import Sight
from planmode.agent.sandbox import Finished, Sandbox, homes_own
from tests.requirements import need

_FILE: Final = Path(__file__).parents[2] / "vectors/shell_read_only.yaml"
_ROWS: Final[list[dict[str, Any]]] = [
    row
    for row in yaml.safe_load(_FILE.read_text(encoding="utf-8"))["vectors"]
    if row["probe"] in {"changed", "changed-on-tty"}
]
ROWS: Final = [pytest.param(row["cmd"], id=row["id"]) for row in _ROWS]
WAITS_S: Final = 5

FILES: Final = {
    "a.txt": "alpha\nneedle\nbeta\n",
    "b.txt": "b\n",
    "f.txt": "f\n",
    "list.txt": "f.txt\n",
    "x.sh": "#!/bin/sh\nrm -f f.txt\ntouch pwned\n",
    "x.py": "open('pwned', 'w')\n",
    "evil/ls": "#!/bin/sh\n: > pwned\n",
    "hex.txt": "00000000: 6869 0a  hi.\n",
    "data.json": '{"a": 1}\n',
    "src/c.txt": "c\n",
    "Makefile": "$(shell touch pwned)\nall:\n\ttouch made\n",
}


@dataclass(frozen=True, slots=True)
class Project:
    """A small repository, and a folder beside it that nothing has to do with."""

    base: Path

    @property
    def work(self) -> Path:
        return self.base / "work"

    def contents(self) -> Mapping[str, tuple[object, ...]]:
        """Return what a copy has in common with this."""
        return {
            str(path.relative_to(self.base)): (
                (stat := path.lstat()).st_mode,
                stat.st_mtime_ns,
                hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            )
            for path in self.base.rglob("*")
        }

    def seen(self) -> Mapping[str, tuple[object, ...]]:
        """Return everything that a change could show in, even one that was taken back."""
        return {
            name: (*content, (stat := (self.base / name).lstat()).st_size, stat.st_ctime_ns)
            for name, content in self.contents().items()
        }


def _git(work: Path, *words: str) -> None:
    author = {
        f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **author}
    subprocess.run(["git", *words], cwd=work, env=environment, check=True, capture_output=True)  # noqa: S603, S607 - the fixture's own calls


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    need("git", shutil.which("git") is not None)
    made = Project(tmp_path_factory.mktemp("project"))
    canary = made.base / "beside"
    canary.mkdir()
    (canary / "f.txt").write_text("not yours\n")
    work = made.work
    for name, text in FILES.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    for name in ("x.sh", "evil/ls"):
        (work / name).chmod(0o755)
    (work / "a.gz").write_bytes(gzip.compress(b"b\n"))
    with tarfile.open(work / "a.tar", "w") as archive:
        archive.add(work / "list.txt", "inner.txt")
    _git(work, "init", "--template=", "--initial-branch=main")
    _git(work, "config", "user.name", "x")
    _git(work, "config", "user.email", "x@y")
    _git(work, "add", "--all")
    _git(work, "commit", "--message", "one")
    _git(work, "branch", "topic")
    _git(work, "tag", "v1")
    (work / "new.txt").write_text("new\n")
    _git(work, "add", "new.txt")
    _git(work, "commit", "--message", "two")
    with (work / "a.txt").open("a") as file:
        file.write("not committed\n")
    return made


@pytest.fixture
def box() -> Sandbox:
    sandbox = Sandbox.probe()
    need("working bubblewrap", sandbox.available)
    return sandbox


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def _run(box: Sandbox, command: str, work: Path, *, sandboxed: bool) -> Finished:
    return box.run(command, cwd=work, sandboxed=sandboxed, timeout_s=WAITS_S, output_limit=10_000)


@pytest.mark.parametrize("command", ROWS)
def test_what_is_forced_past_the_parser_changes_nothing(
    command: str, project: Project, box: Sandbox
) -> None:
    """security:S04; each of these lines changed something where nothing held it."""
    before = project.seen()
    _run(box, command, project.work, sandboxed=True)
    assert project.seen() == before


# What keeps these from changing anything, also where they may.
STOPPED: Final = {
    "B171": "no terminal",
    "B287": "no terminal",
    "B288": "LESSSECURE",
}


def test_the_same_lines_change_the_workspace_while_working(
    project: Project, box: Sandbox, work: Path
) -> None:
    """Without this the test above could pass for lack of anything to change."""
    shutil.copytree(project.base, work / "as it was", symlinks=True)
    for row in _ROWS:
        (work / f"{row['id']}.line").write_text(row["cmd"])
    script = (
        "for line in *.line; do cp -a 'as it was' ${line%.line}; (cd ${line%.line}/work; "
        'timeout 60 bash -c "$(cat ../../$line)") > ${line%.line}.out 2>&1; done'
    )
    box.run(script, cwd=work, sandboxed=False, timeout_s=600, output_limit=10_000)
    before = Project(work / "as it was").contents()
    ran = {
        row["id"]
        for row in _ROWS
        if "command not found" not in (work / f"{row['id']}.out").read_text()
    }
    unchanged = {name for name in ran if Project(work / name).contents() == before}
    assert len(ran) > 130, "the others need what this machine may lack"
    assert unchanged == STOPPED.keys() & ran


@pytest.mark.parametrize("sandboxed", [True, False])
def test_keys_are_hidden_where_the_home_itself_is_the_workspace(
    tmp_path: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    home = tmp_path / "home"
    kept = (".ssh/id_ed25519", ".aws/credentials", ".config/gcloud/key", ".netrc", ".npmrc")
    for name in (*kept, ".config/editor", "notes.txt"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("hush" if name in kept else "shown\n")
    hiding = replace(box, sight=Sight((), tuple(sorted(homes_own(str(home))))))
    command = f"cat notes.txt .config/editor {' '.join(kept)}; ls -A .ssh .aws; cp -r . /tmp/all"
    output = _run(hiding, command, home, sandboxed=sandboxed).output
    assert output.count("shown") == 2
    assert "hush" not in output
    assert "id_ed25519\n" not in output.replace(".ssh/id_ed25519", "")
    _run(
        hiding,
        "echo x > .ssh/config; echo x > .netrc; rm -rf .ssh .netrc",
        home,
        sandboxed=sandboxed,
    )
    assert [(home / name).read_text() for name in kept] == ["hush"] * len(kept)
    assert not (home / ".ssh/config").exists()


@pytest.mark.parametrize("sandboxed", [True, False])
@pytest.mark.parametrize(
    "place", ["/etc/shadow", "/etc/ssh", "/run", "/var/run/docker.sock", "/root", "/home", "/sys"]
)
def test_secrets_and_sockets_of_the_host_are_not_there(
    place: str,
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    """security:S19."""
    output = _run(box, f"ls -d {place}", work, sandboxed=sandboxed).output
    assert "No such file or directory" in output


@pytest.mark.parametrize("sandboxed", [True, False])
def test_sockets_beside_the_workspace_can_not_be_reached(
    tmp_path: Path,
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    """As those of a database or of containers, also where the network is the host's."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        connects = f"import socket; socket.socket(socket.AF_UNIX).connect('{tmp_path}/socket')"
        output = _run(box, f'/usr/bin/python3 -c "{connects}"', work, sandboxed=sandboxed).output
    assert "FileNotFoundError" in output


@pytest.mark.parametrize("sandboxed", [True, False])
def test_no_privilege_can_be_had(
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    output = _run(box, "grep NoNewPrivs /proc/self/status", work, sandboxed=sandboxed).output
    assert output.split() == ["NoNewPrivs:", "1"]


@pytest.mark.parametrize("sandboxed", [True, False])
def test_no_setting_of_the_kernel_can_be_written(
    work: Path,
    box: Sandbox,
    sandboxed: bool,  # noqa: FBT001 - a column
) -> None:
    """They are files of the system's own user, whom a server may run as; none is tried out here."""
    command = "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print; echo searched"
    assert _run(box, command, work, sandboxed=sandboxed).output == "searched\n"
    output = _run(
        box,
        "[ -r /proc/sys/kernel/core_pattern ] && echo x >/dev/stdout",
        work,
        sandboxed=sandboxed,
    ).output
    assert output == "x\n"


def test_a_namespace_of_its_own_frees_a_command_of_nothing(work: Path, box: Sandbox) -> None:
    """Whoever makes one has every privilege in there, and none over what was mounted before."""
    secret = work / "secret"
    secret.mkdir()
    (secret / "key").write_text("hush")
    hiding = replace(box, sight=Sight((), (str(secret),)))
    inside = f"umount {secret}; cat {secret}/key; mount -o remount,rw,bind {work}; touch {work}/new"
    output = _run(hiding, f"unshare -Urm sh -c '{inside}'", work, sandboxed=True).output
    assert "hush" not in output
    assert [path.name for path in work.iterdir()] == ["secret"]
    assert list(secret.iterdir()) == [secret / "key"]


def test_a_command_holds_no_file_of_the_server(tmp_path: Path, work: Path, box: Sandbox) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)  # noqa: FBT003 - its only form
        output = _run(box, "ls -l /proc/self/fd", work, sandboxed=True).output
    targets = {line.rpartition("-> ")[2] for line in output.splitlines() if "->" in line}
    assert all(t == "/dev/null" or t.startswith(("pipe:", "/proc/")) for t in targets), targets
