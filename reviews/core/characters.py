"""Characters that nobody sees, or that reorder what people see."""

import re
from typing import Final

from prompts.unseen import UNSEEN

_HIDDEN: Final = re.compile(
    rf"[{UNSEEN}]"
    r"|\r(?!\n)"  # alone it makes a terminal write over the line
)
_LETTER: Final = r"[\u0600-\u109f\u1780-\u1cff]"  # scripts that join their letters
_EMOJI: Final = r"[\u203c\u2049\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff]"
_SHAPES: Final = re.compile(
    rf"(?<={_LETTER})[\u200c\u200d](?={_LETTER})"
    rf"|(?<={_EMOJI})\ufe0f?\u200d(?={_EMOJI})"
    rf"|(?<=[#*0-9\xa9\xae]|{_EMOJI})[\ufe0e\ufe0f]"
    r"|(?<=[\u3400-\u9fff\uf900-\ufaff])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
)
"""Where joiners and variation selectors do what they are for: a mark there would be a false alarm,
and false alarms teach people to look away."""


def marked(text: str) -> str:
    r"""Return ``text`` with each hidden character shown as its code point, as in ``[U+202E]``.

    Hidden are controls (direction, too), zero-width and blank characters, tags and selectors, and
    a carriage return that no ``\n`` follows. All else stays as it is.
    """
    shown: list[str] = []
    start = 0
    for shape in _SHAPES.finditer(text):
        shown += [_shown(text[start : shape.start()]), shape[0]]
        start = shape.end()
    return "".join([*shown, _shown(text[start:])])


def _shown(text: str) -> str:
    return _HIDDEN.sub(lambda hidden: f"[U+{ord(hidden[0]):04X}]", text)
