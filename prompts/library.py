"""The texts by name, read from the .md files beside this one."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from prompts.errors import PromptError

_ROOT: Final = Path(__file__).parent
NAMES: Final[tuple[str, ...]] = tuple(
    sorted(path.relative_to(_ROOT).with_suffix("").as_posix() for path in _ROOT.rglob("*.md"))
)
"""Every text's name: its path without the suffix, such as ``reminders/full``."""


def text(name: str) -> str:
    """Return the text called ``name`` without blank lines around it, placeholders unfilled.

    Raises:
        PromptError: there is no such text.
    """
    try:
        return _texts()[name]
    except KeyError:
        raise PromptError(f"there is no text called {name!r} in prompts/") from None


def variant(name: str, case: str) -> str:
    """Return the name of the text that stands for ``name`` in a special ``case``.

    ``results/revise`` is ``results/argument/revise`` in the case ``argument``, if there is such a
    text; else the common one is good for the case, too.
    """
    room, _, last = name.rpartition("/")
    own = f"{room}/{case}/{last}"
    return own if own in _texts() else name


@cache
def _texts() -> Mapping[str, str]:
    # All at once: a text that can't be read shows with the first use of any, not in some turn.
    return {name: (_ROOT / f"{name}.md").read_text(encoding="utf-8").strip() for name in NAMES}
