"""Write: a whole file, and every attempt to get past the plan file."""

import hashlib
import json
import os
import shutil
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from threading import Event, Thread
from typing import Any, Final

import pytest
import yaml

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import ToolContext, ToolResult
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core import guard
from planmode.core.events import PlanFileWritten, PlanModeEntered
from planmode.core.permission import PermissionMode
from planmode.core.presets import PlanModeConfig
from planmode.core.state import EMPTY, SessionState, apply
from planmode.store.confined import ConfinedFolder
from tests.planmode.agent.tools.conftest import Ground

_VECTORS: Final = Path(__file__).parents[3] / "vectors"
_ROWS: Final[list[dict[str, Any]]] = yaml.safe_load(
    (_VECTORS / "paths.yaml").read_text(encoding="utf-8")
)["cases"]
_GUARD_ROWS: Final[list[dict[str, Any]]] = [
    row
    for row in yaml.safe_load((_VECTORS / "plan_mode.yaml").read_text(encoding="utf-8"))["vectors"]
    if row["group"] == "guard_path"
]
_ROUNDS: Final = 200
_NEW: Final = "# New\n"


# ---------------------------------------------------------------- what it does


def test_a_file_is_written(ground: Ground) -> None:
    assert ground.text("Write", path="src/a.py", content="é") == "Wrote 2 bytes to src/a.py."
    assert (ground.work / "src/a.py").read_text() == "é"
    result = ground.result("Write", path="src/a.py", content="")
    assert (result.events, result.plan_bytes) == ((), None)
    assert (ground.work / "src/a.py").read_text() == ""


def test_new_files_follow_the_umask(ground: Ground) -> None:
    before = os.umask(0o022)
    try:
        ground.text("Write", path="src/a.py", content="")
    finally:
        os.umask(before)
    assert stat.S_IMODE((ground.work / "src/a.py").stat().st_mode) == 0o644
    assert stat.S_IMODE((ground.work / "src").stat().st_mode) == 0o755


def test_the_plan_file_is_an_event(ground: Ground) -> None:
    result = ground.result("Write", path=str(ground.plan), content=_NEW)
    content = _NEW.encode()
    sha256 = hashlib.sha256(content).hexdigest()
    assert result == ToolResult(
        f"Wrote 6 bytes to {ground.plan}.",
        events=(PlanFileWritten("bold-amber-fox", sha256, 6),),
        plan_bytes=content,
    )
    assert ground.plan.read_bytes() == content
    assert stat.S_IMODE(ground.plan.stat().st_mode) == 0o600


def test_a_file_is_at_most_a_mebibyte(ground: Ground) -> None:
    assert "larger" in ground.error("Write", path="a.txt", content="x" * (1024 * 1024 + 1))
    assert not (ground.work / "a.txt").exists()


# ---------------------------------------------------------------- what it must not do


@dataclass(frozen=True, slots=True)
class Scene:
    """The folders of tests/vectors/paths.yaml, and who calls."""

    root: Path
    active: bool = True
    agent: str = "a1"

    @property
    def session(self) -> Path:
        return self.root / "sessions/s1"

    @property
    def plan(self) -> Path:
        return self.session / "agents/a1/plans/bold-otter.md"

    def filled(self, text: str) -> str:
        """Return ``text`` with the placeholders of the vectors filled in."""
        names = {
            "{S_ALIAS}": self.root / "s1-alias",
            "{ROOT}": self.root,
            "{S}": self.session,
            "{W}": self.root / "work",
            "{P}": self.plan,
        }
        for name, path in names.items():
            text = text.replace(name, str(path))
        return text

    def reach(self) -> Reach:
        return Reach(
            ConfinedFolder(self.root / "work"),
            ConfinedFolder(self.session, (self.root / "s1-alias",)),
            PurePosixPath(f"agents/{self.agent}/plans/bold-otter.md"),
        )

    def state(self) -> SessionState:
        if not self.active:
            return EMPTY
        return apply(EMPTY, PlanModeEntered("bold-otter", PermissionMode.MANUAL), seq=1)

    def context(self) -> ToolContext:
        return ToolContext(self.reach(), self.state(), Sandbox())

    def tree(self) -> dict[str, tuple[object, ...]]:
        """Return everything below the root: kind, contents and links, nothing followed."""
        return {str(path.relative_to(self.root)): _looks(path) for path in self.root.rglob("*")}


def _looks(path: Path) -> tuple[object, ...]:
    kind = stat.S_IFMT(path.lstat().st_mode)
    if path.is_symlink():
        return kind, str(path.readlink())
    return (kind, path.read_bytes()) if stat.S_ISREG(kind) else (kind,)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """The files that are there before each case."""
    made = Scene(tmp_path / "root")
    for name, text in {
        "sessions/s1/agents/a1/plans/bold-otter.md": "# Plan\n",
        "sessions/s1/agents/a1/plans/other-plan.md": "# Other\n",
        "sessions/s2/agents/a1/plans/other.md": "# Other\n",
        "outside/secret.txt": "secret\n",
        "work/src/app.py": "app\n",
    }.items():
        (made.root / name).parent.mkdir(parents=True, exist_ok=True)
        (made.root / name).write_text(text)
    return made


def _symlink(path: str, _: str, target: str) -> None:
    with suppress(FileNotFoundError):
        Path(path).unlink()
    Path(path).symlink_to(target)


def _mkfifo(path: str) -> None:
    Path(path).unlink()
    os.mkfifo(path)


def _socket(path: str) -> None:
    """Bind relative to the folder: a socket's own path has to be short."""
    Path(path).unlink()
    here = Path.cwd()
    os.chdir(Path(path).parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(Path(path).name)
    finally:
        os.chdir(here)


def _rmdir(path: str) -> None:
    """The vectors have a second file there that has to go with the folder."""
    shutil.rmtree(path)


_SETUPS: Final[Mapping[str, Callable[..., object]]] = {
    "rm": lambda path: Path(path).unlink(missing_ok=True),
    "rmdir": _rmdir,
    "rmtree": lambda path: shutil.rmtree(path, ignore_errors=True),
    "mkdir": lambda path: Path(path).mkdir(parents=True, exist_ok=True),
    "symlink": _symlink,
    "mkfifo": _mkfifo,
    "socket": _socket,
}


def _set_up(scene: Scene, lines: list[str]) -> Scene:
    """Do what the lines say; those about the session change the scene instead."""
    for line in lines:
        verb, *words = scene.filled(line).split()
        match verb, words:
            case "plan_mode", ["off"]:
                scene = replace(scene, active=False)
            case "permission", ["default"]:
                assert not scene.state().plan.active
            case "caller", [who]:
                scene = replace(scene, agent=who.removeprefix("agent="))
            case _:
                _SETUPS[verb](*words)
    return scene


def _arguments(scene: Scene, row: dict[str, Any], path: str) -> str:
    """Return the JSON that the model sends for a row."""
    given = row.get("args", {})
    if "raw_json" in given:
        return scene.filled(given["raw_json"])
    content = {} if row["tool"] == "Edit" else {"content": _NEW}
    return scene.filled(json.dumps({"path": path, **content, **given}))


def _attempt(scene: Scene, tool_name: str, args_json: str) -> tuple[bool, str]:
    """Do a call as the engine does: parse, judge, run; return whether it ran well, and why not."""
    tool = TOOLS.get(tool_name)
    if tool is None:
        facts = guard.CallFacts(tool_name)
        return _judged(scene, facts) is None, "unknown tool"
    try:
        args = parse(tool, args_json)
    except ArgumentsInvalidError as error:
        return False, str(error)
    refused = _judged(scene, tool.facts(args, scene.context()))
    if refused is not None:
        return False, refused
    result = tool.run(args, scene.context())
    assert isinstance(result, ToolResult)
    return not result.is_error, result.text


def _judged(scene: Scene, facts: guard.CallFacts) -> str | None:
    judgement = guard.judge(facts, scene.state(), PlanModeConfig(), guard.Ground())
    match judgement:
        case guard.Allow():
            return None
        case guard.Deny(why=why):
            return str(why)
        case _:
            return "not without a person"


def _check(scene: Scene, row: dict[str, Any], path: str, expect: str) -> None:
    before = scene.tree()
    ran, why = _attempt(scene, row["tool"], _arguments(scene, row, path))
    after = scene.tree()
    if expect == "deny":
        assert (ran, after) == (False, before)
        assert why
        assert why.replace("\n", " ").isprintable()
        return
    name = str(scene.plan.relative_to(scene.root))
    assert ran, why
    assert after.pop(name)[1] == (b"# Plan v2\n" if row["tool"] == "Edit" else _NEW.encode())
    before.pop(name, None)
    assert set(after) - set(before) <= {str(PurePosixPath(name).parent)}
    assert {key: after[key] for key in before} == before


def _races(row: dict[str, Any]) -> bool:
    return any(line.startswith("race_swap") for line in row.get("setup", []))


def _ids(rows: list[dict[str, Any]], source: str) -> list[Any]:
    return [pytest.param(row, id=f"{source}:{row['id']}") for row in rows]


_STILL: Final = [row for row in _ROWS if not _races(row)]


@pytest.mark.parametrize("row", _ids(_STILL, "paths"))
def test_paths(scene: Scene, row: dict[str, Any]) -> None:
    """case:C018 case:C020. Each attempt of the vectors, as it stands there."""
    changed = _set_up(scene, row.get("setup", []))
    _check(changed, row, row["path"], row["expect"])


_PLANTED: Final = [
    row
    for row in _STILL
    if row["expect"] == "deny" and any("{P}" in s or "/a1 ->" in s for s in row.get("setup", []))
]


@pytest.mark.parametrize("row", _ids(_PLANTED, "paths"))
def test_what_lies_in_place_of_the_plan_file(scene: Scene, row: dict[str, Any]) -> None:
    """The same set-ups with the path that the guard allows: now the file itself must refuse."""
    changed = _set_up(scene, row["setup"])
    assert changed.reach().locate(str(scene.plan)).kind == "plan_file"
    _check(changed, row, "{P}", "deny")
    assert str(scene.plan) in _attempt(changed, "Write", _arguments(changed, row, "{P}"))[1]


def test_a_second_name_of_a_secret_in_place_of_the_plan_file(scene: Scene) -> None:
    scene.plan.unlink()
    scene.plan.hardlink_to(scene.root / "outside/secret.txt")
    _check(scene, {"tool": "Write"}, "{P}", "deny")
    edit = {"tool": "Edit", "args": {"old_string": "secret", "new_string": "x"}}
    _check(scene, edit, "{P}", "deny")


@pytest.mark.parametrize("row", _ids(_GUARD_ROWS, "plan_mode"))
def test_guard_paths(scene: Scene, row: dict[str, Any]) -> None:
    """The rows about paths of the other vectors; our own expectation comes first."""
    tokens = {
        "$DIR": str(scene.plan.parent),
        "$PLAN": str(scene.plan),
        "$NAME": scene.plan.name,
        "$UPPERNAME": scene.plan.name.upper(),
    }
    path = row["path"]
    for token in sorted(tokens, key=len, reverse=True):
        path = path.replace(token, tokens[token])
    _check(scene, {"tool": "Write"}, path, row.get("ours", row["expect"]))


def _swap_file(scene: Scene) -> None:
    """Put a link in the plan file's place, then a file again."""
    spare = scene.root / "sessions/spare"
    spare.symlink_to(scene.root / "outside/secret.txt")
    spare.replace(scene.plan)
    spare.write_text("# Plan\n")
    spare.replace(scene.plan)


def _swap_dir(scene: Scene) -> None:
    """Put a link in the folder's place, then the folder again; a new one may have come between."""
    plans, kept = scene.plan.parent, scene.session / "kept"
    plans.rename(kept)
    with suppress(FileExistsError):
        plans.symlink_to(scene.root / "outside")
    if plans.is_symlink():
        plans.unlink()
    shutil.rmtree(plans, ignore_errors=True)
    with suppress(OSError):
        kept.rename(plans)
    if kept.exists():
        shutil.rmtree(plans, ignore_errors=True)
        shutil.rmtree(kept)
        plans.mkdir(exist_ok=True)


@contextmanager
def _swapping(swap: Callable[[Scene], None], scene: Scene) -> Iterator[None]:
    """Swap again and again beside the test."""
    over = Event()

    def again() -> None:
        while not over.is_set():
            with suppress(OSError):
                swap(scene)

    rival = Thread(target=again)
    rival.start()
    try:
        yield
    finally:
        over.set()
        rival.join()


_SWAPS: Final = {"file": _swap_file, "dir": _swap_dir}


@pytest.mark.parametrize("row", _ids([row for row in _ROWS if _races(row)], "paths"))
def test_races(scene: Scene, row: dict[str, Any]) -> None:
    """Whatever is swapped between check and write, nothing outside changes."""
    swap = _SWAPS[row["setup"][0].removeprefix("race_swap ")]
    outside = scene.root / "outside"
    secret = {"secret.txt": b"secret\n"}
    ran = set()
    with _swapping(swap, scene):
        for _ in range(_ROUNDS):
            ran.add(_attempt(scene, "Write", _arguments(scene, row, "{P}"))[0])
            assert {f.name: f.read_bytes() for f in outside.iterdir()} == secret
    assert True in ran


def test_every_race_has_its_swap() -> None:
    wanted = {s.removeprefix("race_swap ") for row in _ROWS if _races(row) for s in row["setup"]}
    assert wanted == set(_SWAPS)
