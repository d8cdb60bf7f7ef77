"""Programs in an argument: what sed and awk scripts may say."""

import re
from typing import Final

from planmode.shell.options import RefusedError, Used
from planmode.shell.policy import Permission
from planmode.shell.words import Word

_CLASS: Final = r"\[:[a-z]+:\]"
_BRACKET: Final = rf"\[\^?\]?(?:{_CLASS}|[^][\n\\/])*\]"
_PATTERN: Final = rf"/(?:[^/\\\n[]|\\.|{_BRACKET})*/[IM]*"
_ADDRESS: Final = rf"(?:\d+(?:~\d+)?|\$|{_PATTERN})"
_LIST: Final = rf"\[\^?\]?(?:{_CLASS}|(?!(?P=d))[^][\n\\])*\]"
_PART: Final = rf"(?:(?!(?P=d))[^\\\n[]|\\.|{_LIST})*(?P=d)"
_PLACED: Final = r"(?:(?!(?P=d))[^\\\n]|\\.)*(?P=d)"
_ENDED: Final = r"(?=[ \t]*(?:[;\n}]|\Z))"
_STATEMENT: Final = re.compile(
    rf"""[\s;]*(?:{_ADDRESS}(?:[ ]*,[ ]*(?:{_ADDRESS}|[+~]\d+))?)?[ ]*!?[ ]*
    (?:\{{ | \}}
    | (?:[dDgGhHnNpPxzF=] | [lqQ][ ]*\d* | [btT][ ]*\w* | :[ ]*\w+){_ENDED}
    | s(?P<d>[/|\#,:@!%+~]){_PART}{_PLACED}[gpIiMm0-9]*{_ENDED}
    | y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/{_ENDED}
    | [aic][ ][^\\\n]*(?=\n|\Z)
    )[\s;]*""",
    re.VERBOSE,
)


def check_sed(used: Used) -> None:
    """Make sure that every sed script prints, and does nothing else.

    Raises:
        RefusedError: one writes, runs something, or is not understood.
    """
    scripts = used.values("-e", "--expression") or list(used.operands[:1])
    for script in scripts:
        if not script.whole or not _prints(script.text):
            raise RefusedError("the sed script does more than print, or is not understood")


def _prints(script: str) -> bool:
    position = 0
    while position < len(script):
        statement = _STATEMENT.match(script, position)
        if statement is None:
            return False
        position = statement.end()
    return True


_AWK_EFFECTS: Final = re.compile(r"system|getline|@|\\\n|(?<!\|)\|(?!\|)")


def check_awk(used: Used) -> list[Permission]:
    """Return what this call of awk has to be permitted.

    The words that would open or start something are looked for in the whole text, also where they
    are data: what looks like a string may be the inside of a pattern.

    Raises:
        RefusedError: the program may write or run something, or is only known when it runs.
    """
    if used.has("-f"):
        return [Permission.AWK_FILES]
    if not used.operands:
        return []
    program: Word = used.operands[0]
    before, _, printing = program.text.partition("print")
    if not program.whole or _AWK_EFFECTS.search(program.text) or ">" in printing:
        raise RefusedError("the awk program may write or run something")
    return [Permission.AWK_COMPARISONS] if ">" in before else []
