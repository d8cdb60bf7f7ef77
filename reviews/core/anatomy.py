"""How risky a plan looks, read from its lines by fixed rules."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from reviews.core.paths import Named, named
from reviews.core.tiers import Tier

MOST_OF_A_KIND: Final = 5
"""Reasons of one kind that are kept: the first ones."""
LONGEST_EXCERPT: Final = 120
LARGE_PLAN: Final = 200
"""Lines with words."""
MANY_PATHS: Final = 8
MOST_READ: Final = 256 * 1024
"""Characters. What lies behind is not read, and the plan counts as high for it."""


class ReasonKind(StrEnum):
    """What counts for a plan's tier."""

    COMMAND = "command"
    KEY = "key"
    MIGRATION = "migration"
    DELETION = "deletion"
    SECRET = "secret"  # noqa: S105 - a word of plans
    PATHS = "paths"
    SIZE = "size"
    LENGTH = "length"


POINTS: Final[Mapping[ReasonKind, int]] = {
    ReasonKind.COMMAND: 4,
    ReasonKind.KEY: 4,
    ReasonKind.MIGRATION: 2,
    ReasonKind.DELETION: 2,
    ReasonKind.SECRET: 2,
    ReasonKind.PATHS: 1,
    ReasonKind.SIZE: 1,
    ReasonKind.LENGTH: 4,
}
"""What a kind counts, once, however often it is found."""
MEDIUM_FROM: Final = 2
HIGH_FROM: Final = 4


class WarningKind(StrEnum):
    """What a reviewer should know, and what counts for nothing."""

    APPROACHES = "approaches"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the tier is what it is.

    ``line`` counts from 1; 0 is the whole plan, and then ``text`` is a number of lines, paths or
    characters.
    """

    kind: ReasonKind
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to look at: ``text`` is a heading, or a file."""

    kind: WarningKind
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Anatomy:
    """What a plan would touch, as far as its words tell."""

    tier: Tier
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Warned, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return what ``restored`` reads."""
        return asdict(self)


def restored(data: Mapping[str, Any]) -> Anatomy | None:
    """Return the anatomy that ``as_json`` wrote; ``None`` for an empty one."""
    if not data:
        return None
    return Anatomy(
        Tier(data["tier"]),
        tuple(Reason(ReasonKind(r["kind"]), r["line"], r["text"]) for r in data["reasons"]),
        tuple(Warned(WarningKind(w["kind"]), w["line"], w["text"]) for w in data["warnings"]),
    )


def anatomy(text: str, *, options: int, read: frozenset[str] | None) -> Anatomy:
    """Return the anatomy of a plan that comes with so many ``options``.

    ``read`` are the files that the agent has read, relative to its workspace; ``None`` where nobody
    knows. The words are judged
    as they stand: who writes that nothing is deleted has written of a deletion.
    """
    lines = text[:MOST_READ].split("\n")
    paths = named(lines)
    reasons = tuple(_reasons(lines, len(paths)))
    if len(text) > MOST_READ:
        reasons += (Reason(ReasonKind.LENGTH, 0, str(len(text))),)
    found = {reason.kind for reason in reasons}
    return Anatomy(
        tier=_tier(sum(POINTS[kind] for kind in found)),
        reasons=reasons,
        warnings=(
            *_approaches(lines, options),
            *(() if read is None else _unread(paths, read)),
        ),
    )


def _tier(points: int) -> Tier:
    if points >= HIGH_FROM:
        return Tier.HIGH
    return Tier.MEDIUM if points >= MEDIUM_FROM else Tier.LOW


# No pattern repeats without a bound inside another repetition: a line costs what it is long.

_WORDS: Final = re.IGNORECASE | re.ASCII
"""Chinese letters stand next to Latin words without a blank: they end a word here."""
_COMMAND: Final = re.compile(
    r"\brm\s{1,4}-(?:[a-zA-Z]{0,8}[rRf]|-recursive|-force)"
    r"|\bgit\s{1,4}push\b.{0,80}(?:--force|\s-f\b)"
    r"|\bgit\s{1,4}(?:reset\s{1,4}--hard|clean\s{1,4}-\w{0,4}f|filter-branch|branch\s{1,4}-D)"
    r"|\b(?:sudo|mkfs|shutdown|reboot|killall|dropdb|FLUSHALL)\b"
    r"|\bdd\s{1,4}(?:if|of)="
    r"|\bchmod\s{1,4}(?:-R\s{1,4})?(?:0?777|a\+rwx)|\bchown\s{1,4}-R\b"
    r"|\b(?:curl|wget)\b[^|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z)?sh\b"
    r"|\b(?:drop|truncate)\s{1,4}(?:table|database|schema|index|column|view)\b"
    r"|\bdelete\s{1,4}from\b"
    r"|\bkubectl\s{1,4}delete\b|\bterraform\s{1,4}(?:apply|destroy)\b|\bhelm\s{1,4}uninstall\b"
    r"|\bdocker\s{1,4}(?:system|volume)\s{1,4}(?:prune|rm)\b"
    r"|\b(?:npm|twine|cargo|gem)\s{1,4}(?:publish|upload|push)\b"
    r"|\bmanage\.py\s{1,4}(?:flush|reset_db)\b",
    _WORDS,
)
_KEY: Final = re.compile(
    r"\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|\bgh[pousr]_[A-Za-z0-9]{36}"
    r"|\bsk-[A-Za-z0-9_-]{20}|\bxox[abprs]-[A-Za-z0-9-]{10}|\bAIza[0-9A-Za-z_-]{35}"
)
_MIGRATION: Final = re.compile(
    r"\b(?:migrat(?:e|es|ed|ing|ion|ions)|makemigrations|alembic|flyway|liquibase)\b"
    r"|\balter\s{1,4}table\b|\bschema\s{1,4}change|迁移|表结构|修改表|数据库变更",
    _WORDS,
)
_DELETION: Final = re.compile(
    r"\b(?:delet(?:e|es|ed|ing|ion)|remov(?:e|es|ed|ing|al)|drop(?:s|ped|ping)?|unlink"
    r"|purg(?:e|es|ed|ing)|wip(?:e|es|ed|ing)|eras(?:e|es|ed|ing)|rmdir)\b"
    r"|删除|移除|清空|清除|丢弃|销毁|删掉",
    _WORDS,
)
_THING: Final = re.compile(
    r"\b(?:files?|folders?|director(?:y|ies)|tables?|columns?|index(?:es)?|databases?|data"
    r"|records?|rows?|users?|accounts?|branch(?:es)?|buckets?|modules?|backups?|endpoints?)\b"
    r"|文件|目录|表|列|索引|数据|记录|用户|账号|分支|模块|备份|接口",
    _WORDS,
)
_SECRET: Final = re.compile(
    r"\b(?:passwords?|passwd|secrets?|credentials?|api[ _-]?keys?|private[ _-]?keys?"
    r"|secret[ _-]?keys?|(?:access|auth|session)[ _-]?tokens?|id_rsa)\b"
    r"|(?<![\w.])\.env\b|\.pem\b|密码|口令|密钥|私钥|凭证|凭据|令牌",
    _WORDS,
)


def _reasons(lines: Sequence[str], paths: int) -> Iterator[Reason]:
    for kind in (
        ReasonKind.COMMAND,
        ReasonKind.KEY,
        ReasonKind.MIGRATION,
        ReasonKind.DELETION,
        ReasonKind.SECRET,
    ):
        yield from _of_kind(kind, lines)
    if paths >= MANY_PATHS:
        yield Reason(ReasonKind.PATHS, 0, str(paths))
    size = sum(1 for line in lines if line.strip())
    if size >= LARGE_PLAN:
        yield Reason(ReasonKind.SIZE, 0, str(size))


def _of_kind(kind: ReasonKind, lines: Iterable[str]) -> Iterator[Reason]:
    left = MOST_OF_A_KIND
    for number, line in enumerate(lines, start=1):
        place = _place(kind, line)
        if place is None:
            continue
        yield Reason(kind, number, _excerpt(kind, line, place))
        left -= 1
        if not left:
            return


def _place(kind: ReasonKind, line: str) -> int | None:
    """Return where ``line`` gives such a reason."""
    found = _PATTERNS[kind].search(line)
    if found is None or (kind is ReasonKind.DELETION and not _is_of_a_thing(line)):
        return None
    return found.start()


_PATTERNS: Final = {
    ReasonKind.COMMAND: _COMMAND,
    ReasonKind.KEY: _KEY,
    ReasonKind.MIGRATION: _MIGRATION,
    ReasonKind.DELETION: _DELETION,
    ReasonKind.SECRET: _SECRET,
}


def _is_of_a_thing(line: str) -> bool:
    """Return whether a deletion is one of files or data: words are removed from every plan."""
    return _THING.search(line) is not None or bool(named([line]))


_SHOWN_OF_A_KEY: Final = 4


def _excerpt(kind: ReasonKind, line: str, place: int) -> str:
    """Return the words around ``place``; of a key only how it begins."""
    if kind is ReasonKind.KEY:
        return line[place : place + _SHOWN_OF_A_KEY] + "…"
    start = max(0, place - LONGEST_EXCERPT // 3)
    part = " ".join(line[start : start + LONGEST_EXCERPT].split())
    return f"…{part}" if start else part


_APPROACH: Final = re.compile(
    r"(?:#{1,6}|[-*+]|\d{1,3}[.)])?\s{0,4}(?:\*\*|__)?"
    r"(?:(?P<word>option|approach|alternative|variant|solution)s?\s{1,4}"
    r"(?P<name>[a-e]|[1-9]|one|two|three)\b"
    r"|(?P<zh>方案|选项|方法|途径|思路)\s{0,4}(?P<zh_name>[一二三四五1-9a-e]))",
    _WORDS,
)


def _approaches(lines: Sequence[str], options: int) -> Iterator[Warned]:
    """Yield the headings of several approaches, where the plan offers no choice between them."""
    if options > 1:
        return
    found: dict[tuple[str, str], Warned] = {}
    for number, line in enumerate(lines, start=1):
        match = _APPROACH.match(line[:LONGEST_EXCERPT].strip())
        if match is None:
            continue
        word, name = match["word"] or match["zh"], match["name"] or match["zh_name"]
        text = line.strip()[:LONGEST_EXCERPT]
        found.setdefault((word.lower(), name.lower()), Warned(WarningKind.APPROACHES, number, text))
    words = [word for word, _ in found]
    several = [warned for (word, _), warned in found.items() if words.count(word) > 1]
    yield from several[:MOST_OF_A_KIND]


def _unread(paths: Sequence[Named], read: frozenset[str]) -> Iterator[Warned]:
    """Yield the files that are named, are not new, and were not read."""
    ends = {path.rpartition("/")[2] for path in read}
    left = 4 * MOST_OF_A_KIND
    for path in paths:
        known = path.path in read or ("/" not in path.path and path.path in ends)
        if path.is_file and not path.new and not known and left:
            yield Warned(WarningKind.UNREAD, path.line, path.path)
            left -= 1
