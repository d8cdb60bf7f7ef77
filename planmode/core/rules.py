"""Permission rules: what each level says about an agent's calls."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from planmode.core.errors import RulesInvalidError
from planmode.core.globs import matches, unfolds

MOST_RULES: Final = 200
"""In one list."""
LONGEST_PATTERN: Final = 500
"""Characters."""

_RULE: Final = re.compile(r"(\S+)\s+([^\s()]+)(?:\((.*)\))?\Z")
_OUTSIDE: Final = re.compile(r"mcp__[A-Za-z0-9_*-]+\Z")
_LONGEST_SHOWN: Final = 80


class Effect(StrEnum):
    """What a rule does to a call; the first one counts more than the next."""

    DENY = "deny"
    ASK = "ask"
    ALLOW = "allow"


class Level(StrEnum):
    """Who wrote a rule; a lower level can only tighten."""

    INSTALLATION = "installation"
    PROJECT = "project"
    SESSION = "session"


class Subject(StrEnum):
    """What the pattern of a tool's rules is compared with."""

    PATH = "path"  # relative to the workspace
    COMMAND = "command"  # the text of one simple command
    NAME = "name"  # of a profile
    NOTHING = "nothing"  # such rules have no pattern


SUBJECT_OF: Final[Mapping[str, Subject]] = {
    **dict.fromkeys(("Read", "Grep", "Glob", "Write", "Edit"), Subject.PATH),
    "Bash": Subject.COMMAND,
    "Agent": Subject.NAME,
    **dict.fromkeys(
        ("CronList", "CronCreate", "CronDelete", "TaskList", "TaskOutput", "TaskStop"),
        Subject.NOTHING,
    ),
    **dict.fromkeys(("WebSearch", "FetchURL", "AskUserQuestion", "TodoList"), Subject.NOTHING),
    **dict.fromkeys(("reply_to_comment", "EnterPlanMode", "ExitPlanMode"), Subject.NOTHING),
}
"""The tools that a rule can name, beside those of outside servers (``mcp__…``)."""
_NEVER_ALLOWED: Final = frozenset({"EnterPlanMode", "ExitPlanMode"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; without a ``pattern`` it is about every call of ``tool``."""

    effect: Effect
    tool: str
    pattern: str | None = None

    def __str__(self) -> str:
        suffix = "" if self.pattern is None else f"({self.pattern})"
        return f"{self.effect} {self.tool}{suffix}"


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules that count for a session."""

    rules: tuple[Rule, ...] = ()


def parse_rule(line: str) -> Rule:
    """Return the rule ``line``, such as ``deny Bash(git push *)`` or ``ask mcp__tracker__*``.

    Raises:
        RulesInvalidError: the effect or the tool is unknown, or its pattern can't be used.
    """
    found = _RULE.match(line.strip())
    if found is None:
        raise RulesInvalidError("a rule is an effect, a tool and, if need be, (a pattern)")
    rule = Rule(_effect(found[1]), found[2], found[3])
    subject = _subject(rule.tool)
    if subject is None:
        raise RulesInvalidError(f"there is no tool {_short(rule.tool)}")
    if rule.pattern is not None:
        rule = Rule(rule.effect, rule.tool, _pattern(rule.pattern.strip(), rule.tool, subject))
    if rule.effect is Effect.ALLOW and rule.tool in _NEVER_ALLOWED:
        raise RulesInvalidError(
            f"{rule.tool} can't be allowed: a plan's approval is a review, never a permission"
        )
    return rule


def parse_rules(lines: Iterable[str], level: Level) -> tuple[Rule, ...]:
    """Return the rules of ``lines``; blank ones and those that begin with ``#`` are none.

    Raises:
        RulesInvalidError: a line is no rule, or allows something below the installation's level;
            or there are more than 200. The text names the line, counted from 1.
    """
    rules: list[Rule] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(_at_level(parse_rule(line), level))
        except RulesInvalidError as error:
            raise RulesInvalidError(f"line {number}: {error}: {_short(line.strip())!r}") from None
        if len(rules) > MOST_RULES:
            raise RulesInvalidError(f"line {number}: a list has at most {MOST_RULES} rules")
    return tuple(rules)


def matching(
    rules: Rules, tool: str, targets: tuple[str, ...], *, understood: bool
) -> Effect | None:
    """Return what ``rules`` do to a call of ``tool``, ``None`` when they say nothing.

    ``targets`` are all that the call is about, if it was ``understood``: paths relative to the
    workspace, simple commands, a profile.
    """
    rule = deciding(rules, tool, targets, understood=understood)
    return None if rule is None else rule.effect


def deciding(rules: Rules, tool: str, targets: tuple[str, ...], *, understood: bool) -> Rule | None:
    """Return the rule that decides about a call, as ``matching`` takes it.

    Doubt tightens: one target is enough to deny or to ask, and a call whose targets are not known
    meets each pattern. To allow, each target needs a rule, and none may be unknown. A rule without
    a pattern meets each call.
    """
    known = understood and bool(targets)
    named = [rule for rule in rules.rules if _names(rule, tool)]
    for effect in (Effect.DENY, Effect.ASK):
        for rule in named:
            if rule.effect is effect and (not known or _meets_any(rule, targets)):
                return rule
    allowing = [rule for rule in named if rule.effect is Effect.ALLOW]
    whole = next((rule for rule in allowing if rule.pattern is None), None)
    if whole is not None or not known:
        return whole
    found = [next((r for r in allowing if _lets(r, target)), None) for target in targets]
    return None if None in found else found[0]


def _effect(word: str) -> Effect:
    try:
        return Effect(word)
    except ValueError:
        effects = ", ".join(Effect)
        raise RulesInvalidError(f"a rule begins with one of {effects}") from None


def _subject(tool: str) -> Subject | None:
    return SUBJECT_OF.get(tool) or (Subject.NOTHING if _OUTSIDE.match(tool) else None)


def _at_level(rule: Rule, level: Level) -> Rule:
    if rule.effect is Effect.ALLOW and level is not Level.INSTALLATION:
        raise RulesInvalidError("a lower level can only tighten, use deny or ask")
    return rule


def _pattern(pattern: str, tool: str, subject: Subject) -> str:
    if subject is Subject.NOTHING:
        raise RulesInvalidError(f"a rule about {_short(tool)} has no pattern")
    if not pattern:
        raise RulesInvalidError("a pattern is empty: leave out the brackets to mean every call")
    if len(pattern) > LONGEST_PATTERN:
        raise RulesInvalidError(f"a pattern has at most {LONGEST_PATTERN} characters")
    if subject is Subject.PATH:
        _check_path(pattern)
    return " ".join(pattern.split()) if subject is Subject.COMMAND else pattern


def _check_path(pattern: str) -> None:
    """A pattern that could never match is a rule that somebody relies on for nothing."""
    if pattern.startswith(("/", "~")) or ".." in PurePosixPath(pattern).parts:
        raise RulesInvalidError("a path counts from the workspace and stays in it")
    if pattern.endswith("/"):
        raise RulesInvalidError("what lies in a folder is FOLDER/**")
    if not unfolds(pattern):
        raise RulesInvalidError("a pattern has too many alternatives")


def _names(rule: Rule, tool: str) -> bool:
    """Only names of outside tools hold stars."""
    return rule.tool == tool or ("*" in rule.tool and fnmatchcase(tool, rule.tool))


def _meets_any(rule: Rule, targets: tuple[str, ...]) -> bool:
    pattern = rule.pattern
    return pattern is None or any(
        _fits(rule.tool, pattern, form) for target in targets for form in _forms(rule.tool, target)
    )


def _forms(tool: str, target: str) -> Iterator[str]:
    """A command that is named by its path goes by its name, too."""
    yield target
    if _subject(tool) is Subject.COMMAND:
        program, *rest = target.split(maxsplit=1) or [""]
        yield " ".join([program.rpartition("/")[2], *rest])


def _lets(rule: Rule, target: str) -> bool:
    """No pattern lets a path that is not plainly inside the workspace."""
    path = PurePosixPath(target)
    outside = path.is_absolute() or ".." in path.parts
    if outside and _subject(rule.tool) is Subject.PATH:
        return False
    return _fits(rule.tool, rule.pattern or "", target)


def _fits(tool: str, pattern: str, target: str) -> bool:
    match _subject(tool):
        case Subject.PATH:
            return matches(PurePosixPath(target), pattern)
        case Subject.COMMAND:
            return _is_command(" ".join(target.split()), pattern)
        case _:
            return fnmatchcase(target, pattern)


def _is_command(text: str, pattern: str) -> bool:
    """`git push *` is also about `git push` alone."""
    return fnmatchcase(text, pattern) or (pattern.endswith(" *") and text == pattern[:-2])


def _short(text: str) -> str:
    return text[: _LONGEST_SHOWN - 1] + "…" if len(text) > _LONGEST_SHOWN else text
