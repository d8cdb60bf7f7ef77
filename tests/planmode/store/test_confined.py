"""Files below one folder, whatever links there are."""

import os
import stat
from pathlib import Path, PurePosixPath

import pytest

from planmode.core.errors import ClaimLostError
from planmode.store.confined import ConfinedFolder, PathMissingError, PathRefusedError

P = PurePosixPath


@pytest.fixture
def folder(tmp_path: Path) -> ConfinedFolder:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret\n")
    return ConfinedFolder(root)


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        pytest.param("a/b.txt", P("a/b.txt"), id="relative"),
        pytest.param("./a//b/./c", P("a/b/c"), id="dots and slashes fold"),
        pytest.param(".", P(), id="the root itself"),
        pytest.param("~/x", P("~/x"), id="tilde is a name"),
        pytest.param("$HOME/x", P("$HOME/x"), id="dollar is a name"),
        pytest.param("{ROOT}/a", P("a"), id="absolute"),
        pytest.param("//{ROOT}//a", P("a"), id="two leading slashes"),
        pytest.param("{ROOT}", P(), id="the absolute root"),
        pytest.param("a/…/b", P("a/…/b"), id="an ellipsis is a name"),
    ],
)
def test_a_path_is_taken_as_it_reads(folder: ConfinedFolder, path: str, relative: P) -> None:
    assert folder.relative_to_root(path.replace("{ROOT}", str(folder.root))) == relative


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("", id="empty"),
        pytest.param("..", id="parent"),
        pytest.param("a/../b", id="parent that comes back"),
        pytest.param("{ROOT}/../root/a", id="absolute with parent"),
        pytest.param("{ROOT}-evil/a", id="shared prefix"),
        pytest.param("/etc/passwd", id="elsewhere"),
        pytest.param("a\0b", id="NUL"),
        pytest.param("a\n", id="newline"),
        pytest.param("a\x1b[31m", id="escape"),
        pytest.param("a\u2028b", id="line separator"),
        pytest.param("a\\b", id="backslash"),
        pytest.param("\ud800", id="surrogate"),
        pytest.param("ä" * 513, id="over 1024 bytes"),
    ],
)
def test_a_path_is_refused_plainly(folder: ConfinedFolder, path: str) -> None:
    with pytest.raises(PathRefusedError) as refused:
        folder.relative_to_root(path.replace("{ROOT}", str(folder.root)))
    message = str(refused.value)
    assert message.isprintable()
    assert len(message) < 500 + len(str(folder.root))


def test_the_root_has_its_real_name_and_aliases(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    folder = ConfinedFolder(tmp_path / "link", aliases=(Path("/srv/known"),))
    for name in (tmp_path / "link", tmp_path / "real", Path("/srv/known")):
        assert folder.relative_to_root(f"{name}/a.txt") == P("a.txt")


def test_what_the_check_raises_leaves_the_old_bytes(tmp_path: Path) -> None:
    """fault:F06; the new ones lie ready beside them when it is asked, and are gone afterwards."""
    root = tmp_path / "root"
    root.mkdir()
    seen: list[list[str]] = []

    def refuse() -> None:
        seen.append(_names(root))
        raise ClaimLostError("in other hands")

    ConfinedFolder(root).write(P("a.txt"), b"old")
    with pytest.raises(ClaimLostError):
        ConfinedFolder(root, check=refuse).write(P("a.txt"), b"new")
    assert len(seen[0]) == 2
    assert _names(root) == ["a.txt"]
    assert (root / "a.txt").read_bytes() == b"old"


def test_what_is_written_is_read(folder: ConfinedFolder) -> None:
    folder.write(P("a/b/c.txt"), b"one")
    folder.write(P("a/b/c.txt"), b"two")
    assert folder.read(P("a/b/c.txt"), 3) == b"two"
    assert folder.exists(P("a/b/c.txt"))
    assert _names(folder.root / "a/b") == ["c.txt"]


def test_new_folders_and_files_are_private(folder: ConfinedFolder) -> None:
    folder.write(P("a/c.txt"), b"")
    assert stat.S_IMODE((folder.root / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.root / "a/c.txt").stat().st_mode) == 0o600


def test_a_file_keeps_its_mode(folder: ConfinedFolder) -> None:
    script = folder.root / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    folder.write(P("run.sh"), b"new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert script.read_text() == "new"


def test_missing_folders_are_made_only_when_told(folder: ConfinedFolder) -> None:
    with pytest.raises(PathMissingError):
        folder.write(P("a/b.txt"), b"", folders=None)
    assert not (folder.root / "a").exists()


def test_a_missing_root_is_never_made_by_a_write(tmp_path: Path) -> None:
    folder = ConfinedFolder(tmp_path / "gone")
    with pytest.raises(PathMissingError):
        folder.write(P("a.txt"), b"")
    folder.make()
    folder.write(P("a.txt"), b"")
    assert folder.exists(P("a.txt"))


@pytest.mark.parametrize("linked", ["outer", "outer/root"])
def test_a_root_that_becomes_a_link_is_refused(tmp_path: Path, linked: str) -> None:
    """Who can change the folder around it puts a link there, to the server's own data."""
    data = tmp_path / "data"
    (data / "root").mkdir(parents=True)
    for place in (data, data / "root"):
        (place / "secret_key").write_text("hush")
    folder = ConfinedFolder(tmp_path / "outer" / "root")
    folder.make()
    folder.write(P("a.txt"), b"old")
    (tmp_path / linked).rename(tmp_path / "away")
    (tmp_path / linked).symlink_to(data)
    for use in (
        lambda: folder.read(P("secret_key"), 100),
        lambda: folder.write(P("new.txt"), b"new"),
        lambda: folder.walk(P()),
        folder.make,
    ):
        with pytest.raises(PathRefusedError, match="leads through a link"):
            use()
    assert not folder.exists(P("secret_key"))
    assert not folder.is_folder(P())
    assert _names(data) == ["root", "secret_key"]
    assert _names(data / "root") == ["secret_key"]


def test_a_root_is_made_with_what_lies_above_it(tmp_path: Path) -> None:
    folder = ConfinedFolder(tmp_path / "a" / "b")
    for _ in range(2):
        folder.make()
    assert stat.S_IMODE((tmp_path / "a/b").stat().st_mode) == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(PathRefusedError, match="no folder"):
        ConfinedFolder(tmp_path / "file").make()


def test_no_descriptor_is_left_open(folder: ConfinedFolder) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    folder.write(P("a/b.txt"), b"")
    folder.make()
    for relative in (P("a/b.txt/c"), P("gone/c")):
        with pytest.raises(PathRefusedError):
            folder.read(relative, 10)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_file_over_the_limit_is_refused(folder: ConfinedFolder) -> None:
    folder.write(P("a.txt"), b"12345")
    with pytest.raises(PathRefusedError, match="larger than 4 bytes"):
        folder.read(P("a.txt"), 4)


def test_a_missing_file_is_told_apart(folder: ConfinedFolder) -> None:
    with pytest.raises(PathMissingError, match="does not exist"):
        folder.read(P("a/b.txt"), 10)
    assert not folder.exists(P("a/b.txt"))


def _link_file(root: Path) -> None:
    (root / "x").symlink_to(root.parent / "outside/secret.txt")


def _link_folder(root: Path) -> None:
    (root / "d").symlink_to(root.parent / "outside")


def _loop(root: Path) -> None:
    (root / "x").symlink_to("x")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "x")


def _directory(root: Path) -> None:
    (root / "x").mkdir()


@pytest.mark.parametrize(
    ("put", "path"),
    [
        pytest.param(_link_file, "x", id="link to a file"),
        pytest.param(_link_folder, "d/secret.txt", id="file behind a linked folder"),
        pytest.param(_loop, "x", id="link to itself"),
        pytest.param(_pipe, "x", id="named pipe"),
        pytest.param(_directory, "x", id="folder"),
        pytest.param(_directory, ".", id="the root"),
        pytest.param(_directory, "n" * 300, id="name too long"),
    ],
)
def test_nothing_but_regular_files(folder: ConfinedFolder, put: object, path: str) -> None:
    assert callable(put)
    put(folder.root)
    with pytest.raises(PathRefusedError):
        folder.read(P(path), 100)
    with pytest.raises(PathRefusedError):
        folder.write(P(path), b"new")
    assert not folder.exists(P(path))
    assert (folder.root.parent / "outside/secret.txt").read_text() == "secret\n"
    assert _names(folder.root.parent / "outside") == ["secret.txt"]


def test_a_file_with_another_name_is_read_and_never_written(folder: ConfinedFolder) -> None:
    secret = folder.root.parent / "outside/secret.txt"
    (folder.root / "x").hardlink_to(secret)
    assert folder.read(P("x"), 100) == b"secret\n"
    with pytest.raises(PathRefusedError, match="other names"):
        folder.write(P("x"), b"new")
    assert secret.read_text() == "secret\n"


def test_an_unreadable_file_is_a_plain_refusal() -> None:
    """The kernel's own memory file is regular, and reading its beginning fails."""
    with pytest.raises(PathRefusedError, match="can't be used"):
        ConfinedFolder(Path(f"/proc/{os.getpid()}")).read(P("mem"), 10)


def test_a_failed_write_leaves_nothing(folder: ConfinedFolder) -> None:
    (folder.root / "x").mkdir()
    with pytest.raises(PathRefusedError):
        folder.write(P("x"), b"new")
    assert _names(folder.root) == ["x"]


def test_a_walk_is_sorted_and_follows_nothing(folder: ConfinedFolder) -> None:
    for name in ("b.txt", "a/z.txt", "a-b/y.txt", ".git/config", "a/deep/er/x.txt"):
        folder.write(P(name), b"")
    _link_folder(folder.root)
    _pipe(folder.root)
    (folder.root / "bad\nname").write_text("")
    listing = folder.walk(P(), skip=frozenset({".git"}))
    assert [str(f) for f in listing.files] == ["a/deep/er/x.txt", "a/z.txt", "a-b/y.txt", "b.txt"]
    assert list(listing.files) == sorted(listing.files)
    assert not listing.cut


def test_a_walk_begins_where_it_is_told(folder: ConfinedFolder) -> None:
    folder.write(P("a/b.txt"), b"")
    folder.write(P("c.txt"), b"")
    assert folder.walk(P("a")).files == (P("a/b.txt"),)
    with pytest.raises(PathRefusedError):
        folder.walk(P("c.txt"))
    with pytest.raises(PathMissingError):
        folder.walk(P("nowhere"))


def test_a_walk_is_bounded(folder: ConfinedFolder) -> None:
    for number in range(5):
        folder.write(P(f"{number}.txt"), b"")
    listing = folder.walk(P(), limit=3)
    assert listing.cut
    assert len(listing.files) == 3
    assert not folder.walk(P(), limit=5).cut


def test_folders_are_told_from_files(folder: ConfinedFolder) -> None:
    folder.write(P("a/b.txt"), b"")
    _link_folder(folder.root)
    assert folder.is_folder(P())
    assert folder.is_folder(P("a"))
    assert not folder.is_folder(P("a/b.txt"))
    assert not folder.is_folder(P("d"))
    assert not folder.exists(P("a"))


def test_a_name_is_made_once(folder: ConfinedFolder) -> None:
    """claude:C-11: whoever comes second has to take another name."""
    assert folder.create(P("a/b.txt"))
    assert folder.read(P("a/b.txt"), 10) == b""
    folder.write(P("a/b.txt"), b"mine")
    assert not folder.create(P("a/b.txt"))
    assert folder.read(P("a/b.txt"), 10) == b"mine"


def test_a_link_is_a_name_that_is_taken(folder: ConfinedFolder, tmp_path: Path) -> None:
    (folder.root / "b.txt").symlink_to(tmp_path / "outside" / "new.txt")
    assert not folder.create(P("b.txt"))
    assert _names(tmp_path / "outside") == ["secret.txt"]


def test_nothing_is_made_behind_a_link(folder: ConfinedFolder, tmp_path: Path) -> None:
    (folder.root / "plans").symlink_to(tmp_path / "outside")
    with pytest.raises(PathRefusedError):
        folder.create(P("plans/b.txt"))
    assert _names(tmp_path / "outside") == ["secret.txt"]
