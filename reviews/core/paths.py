"""Which files and folders a plan names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

MOST_PATHS: Final = 200
LONGEST_PATH: Final = 200
EXTENSIONS: Final = frozenset(
    {
        *("bat", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "dart", "env", "go"),
        *("gradle", "h", "hpp", "html", "ini", "ipynb", "java", "js", "json", "jsx", "kt", "less"),
        *("lock", "lua", "md", "mjs", "php", "pl", "po", "proto", "ps1", "py", "pyi", "r", "rb"),
        *("rs", "rst", "sass", "scala", "scss", "sh", "sql", "svelte", "svg", "swift", "tf"),
        *("toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zsh"),
    }
)
"""What a file's name ends with, as far as plans name files without quoting them."""


@dataclass(frozen=True, slots=True)
class Named:
    """A path, and the first line (from 1) that names it; ``new`` where that line creates it."""

    path: str
    line: int
    new: bool

    @property
    def is_file(self) -> bool:
        """Whether it names one file."""
        return not self.path.endswith("/") and _has_extension(self.path)


_PRODUCTS: Final = frozenset({"node.js", "vue.js", "next.js", "nuxt.js", "express.js", "three.js"})
_TOKEN: Final = re.compile(r"[A-Za-z0-9_./@~+:-]+")
_QUOTED: Final = re.compile(r"`([^`\s]{1,200})`")
_CREATES: Final = re.compile(
    r"\b(?:create|creates|created|creating|add|adds|adding|new|introduce|generate)\b"
    r"|新建|创建|新增|添加|增加|生成",
    re.IGNORECASE | re.ASCII,
)


def named(lines: Iterable[str]) -> tuple[Named, ...]:
    """Return the paths that ``lines`` name, each once, in their order, at most 200."""
    found: dict[str, Named] = {}
    for number, line in enumerate(lines, start=1):
        new = None
        for path in _paths(line):
            if path in found:
                continue
            if len(found) >= MOST_PATHS:
                return tuple(found.values())
            new = bool(_CREATES.search(line)) if new is None else new
            found[path] = Named(path, number, new)
    return tuple(found.values())


def _paths(line: str) -> Iterator[str]:
    quoted = {_tidy(text) for text in _QUOTED.findall(line)}
    for token in _TOKEN.findall(line):
        path = _tidy(token)
        if 0 < len(path) <= LONGEST_PATH and _is_path(path, quoted=path in quoted):
            yield path


def _tidy(token: str) -> str:
    """Return a token without what the sentence put round it, and without a line number."""
    path = token.rstrip(".,:").removeprefix("./")
    head, _, tail = path.rpartition(":")
    return head if head and tail.isdigit() else path


def _is_path(path: str, *, quoted: bool) -> bool:
    if ":" in path or "//" in path or path[0] in "/~@+-":
        return False  # an address, or something outside of the workspace
    if _has_extension(path):
        return True
    return quoted and "/" in path


def _has_extension(path: str) -> bool:
    name = path.rpartition("/")[2]
    if name.lower() in _PRODUCTS:
        return False
    stem, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in EXTENSIONS and (bool(stem) or "/" in path)
