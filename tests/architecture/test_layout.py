"""The house is as its rules describe it."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from planmode.core.errors import DomainError
from reviews.core import errors as reviews_errors

ROOT: Final = Path(__file__).resolve().parents[2]
FLOORS: Final = ("config", "planmode", "prompts", "reviews")
TOP_LEVEL: Final = {
    *FLOORS,
    *("benchmarks", "docs", "static", "templates", "tests", ".ci"),
    *("manage.py", "pyproject.toml", "Makefile", "requirements.lock", "requirements-dev.lock"),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
    *(".env.example", ".gitignore", ".pre-commit-config.yaml"),
}
GENERATED: Final = {
    *(".git", ".venv", "var", "build", "dist", "__pycache__"),
    *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis"),
}
LONGEST_CAPTION: Final = 69
MACHINE_PATH: Final = re.compile("(?<![\\w.}])/(?:home|root|Users|work)/")
TEXTS: Final = {
    ".py",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".html",
    ".txt",
    ".js",
    ".css",
    ".example",
    "",
}


def files(folder: Path = ROOT) -> Iterator[Path]:
    """Yield what belongs to the project, not what tools and runs leave behind."""
    for path in sorted(folder.iterdir()):
        if path.name in GENERATED or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SOURCES: Final = [
    relative(path) for path in files() if path.suffix == ".py" and "migrations" not in path.parts
]


def test_there_are_sources() -> None:
    assert len(SOURCES) > 100


@pytest.mark.parametrize("name", SOURCES)
def test_a_file_opens_with_one_short_sentence(name: str) -> None:
    caption = (ast.get_docstring(ast.parse((ROOT / name).read_text("utf-8"))) or "").split("\n")[0]
    assert caption.endswith("."), caption
    assert len(caption) <= LONGEST_CAPTION, caption
    assert ";" not in caption


def test_the_top_level_holds_what_it_may() -> None:
    there = {path.name for path in ROOT.iterdir() if not path.name.endswith(".egg-info")}
    coverage = {name for name in there if name.startswith(".coverage")}
    assert there - GENERATED - coverage - {".env"} <= TOP_LEVEL


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = [
        f"{relative(path)}: {match[0]}"
        for path in files()
        if path.suffix in TEXTS and b"\0" not in path.read_bytes()
        for match in [MACHINE_PATH.search(path.read_text("utf-8"))]
        if match
    ]
    assert not found


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_names_no_address_and_has_hashes(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert "://" not in text
    pins = re.findall(r"^([a-z0-9][^=\s]*)==", text, re.MULTILINE)
    assert pins
    assert text.count("--hash=sha256:") >= len(pins)


def test_what_is_installed_is_what_the_tools_check() -> None:
    pin = re.compile(r"^([a-z0-9][^=\s]*)==(\S+)", re.MULTILINE)
    wide = dict(pin.findall((ROOT / "requirements-dev.lock").read_text("utf-8")))
    narrow = dict(pin.findall((ROOT / "requirements.lock").read_text("utf-8")))
    assert {name: wide.get(name) for name in narrow} == narrow


def domain_errors(kind: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for child in kind.__subclasses__():
        yield child
        yield from domain_errors(child)


def test_each_refusal_has_a_code_of_its_own() -> None:
    kinds = list(domain_errors())
    assert reviews_errors.ReviewUnknownError in kinds
    codes = [kind.__dict__["code"] for kind in kinds]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)
    assert all(kind.title for kind in kinds)


def test_the_example_environment_lists_every_setting() -> None:
    source = (ROOT / "config" / "settings.py").read_text("utf-8")
    kinds = "text|boolean|integer|words|folders|path|choice|shell_policy|secret|database"
    read = re.findall(rf'\benv\.({kinds})\(\s*"(\w+)"', source)
    names = {name for _, name in read} | {f"{name}_FILE" for kind, name in read if kind == "secret"}
    example = (ROOT / ".env.example").read_text("utf-8")
    listed = re.findall(r"^#([A-Z][A-Z_]*)=", example, re.MULTILINE)
    assert sorted(listed) == sorted(names)


def test_the_example_environment_says_what_each_setting_does() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    told = [
        before.startswith(("# ", "#HOST="))
        for before, line in pairwise(lines)
        if re.match(r"#[A-Z_]+=", line)
    ]
    assert told
    assert all(told)


@pytest.mark.parametrize(
    ("name", "value"),
    re.findall(r"^#(\w+)=(\S+)$", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE),
)
def test_the_example_environment_shows_the_defaults(name: str, value: str) -> None:
    source = (ROOT / "config" / "settings.py").read_text("utf-8")
    call = re.search(rf'env\.\w+\(\s*"{name}",\s*(?:default=)?(\([^)]*\)|[^,)]+)', source)
    assert call is not None
    default = call[1].strip("()").replace('"', "").replace(" ", "").lower()
    assert default == value.lower()
