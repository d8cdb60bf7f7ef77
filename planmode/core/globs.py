"""Forms of names: a path is compared with a pattern part by part."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

_MOST_ALTERNATIVES: Final = 64
_BRACES: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matches(path: PurePosixPath, pattern: str) -> bool:
    """Return whether ``path`` has the form of ``pattern``: ``*``, ``?``, ``[…]``, ``{…}``, ``**``.

    A star stays within one part, two stars are any number of whole parts. Takes time in
    proportion to parts of path times parts of pattern, whatever the pattern.
    """
    return any(_fits(path.parts, form) for form in _alternatives(pattern))


def unfolds(pattern: str) -> bool:
    """Return whether ``pattern`` has so few alternatives that each of them is tried."""
    return not any(_BRACES.search("/".join(form)) for form in _alternatives(pattern))


@lru_cache(maxsize=512)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return the patterns that ``pattern`` stands for, each as parts; a bomb stays literal."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        form = todo.pop()
        braces = _BRACES.search(form)
        if braces is None or len(done) + len(todo) > _MOST_ALTERNATIVES:
            done.append(form)
            continue
        before, after = form[: braces.start()], form[braces.end() :]
        todo += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
    return tuple(PurePosixPath(form).parts for form in done)


def _fits(parts: tuple[str, ...], form: tuple[str, ...]) -> bool:
    """Match part by part; ``open_ends`` are the numbers of parts that the form so far can eat."""
    open_ends = {0}
    for piece in form:
        if piece == "**":
            open_ends = set(range(min(open_ends, default=len(parts) + 1), len(parts) + 1))
        else:
            open_ends = {
                end + 1 for end in open_ends if end < len(parts) and fnmatchcase(parts[end], piece)
            }
    return len(parts) in open_ends
