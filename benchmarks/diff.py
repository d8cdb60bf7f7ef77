"""How long it takes to compare two revisions."""

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final

from reviews.core.blocks import cut
from reviews.core.diff import excerpt, outline
from reviews.core.moves import moves
from reviews.core.pairing import Effort
from reviews.core.split import split

GOAL_MS: Final = 100.0
"""Most that two revisions of 2,000 lines may take, lines and words."""
HOSTILE_GOAL_MS: Final = 500.0
_TIMES: Final = 3
_WORDS: Final = ("rotate", "keys", "of", "the", "vault", "daily", "and", "tell", "`it`", "50")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; times in milliseconds, medians of runs."""

    name: str
    ours_ms: float
    goal_ms: float

    def __str__(self) -> str:
        return f"| {self.name} | {self.ours_ms:.1f} | < {self.goal_ms:g} ms |"

    @property
    def far_off(self) -> bool:
        """Return whether it takes more than twice the goal."""
        return self.ours_ms > 2 * self.goal_ms


def plan(lines: int, *, seed: int, changed: float = 0.0) -> str:
    """Return a plan of so many lines; a share of them has another word."""
    draw, other = random.Random(seed), random.Random(seed + 1)  # noqa: S311 - test data
    text = []
    for number in range(lines):
        words = [draw.choice(_WORDS) for _ in range(10)]
        if other.random() < changed:
            words[3] = "another"
        text.append(f"{(number % 7 and '- ') or '## '}{' '.join(words)} {number // 3}\n")
    return "".join(text)


def compare(old: str, new: str) -> None:
    """Do what the first page that shows these revisions does, but for the drawing."""
    found = outline(old, new)
    after = cut(new)
    moved = moves(cut(old), after, found, Effort())
    split(excerpt(found, old, new, most=2_000), moved, after, Effort())


def lines_and_words(old: str, new: str) -> None:
    """Compare lines, then words inside changed lines."""
    found = outline(old, new)
    split(excerpt(found, old, new, most=2_000), (), (), Effort())


def _ms(work: Callable[[str, str], None], old: str, new: str) -> float:
    times = []
    for _ in range(_TIMES):
        begun = perf_counter()
        work(old, new)
        times.append(perf_counter() - begun)
    return median(times) * 1000


def main() -> int:
    """Print the table; return 1 when a goal is missed by more than twice."""
    old, new = plan(2_000, seed=1), plan(2_000, seed=1, changed=0.1)
    growing = ["".join("0" * (1000 - n) + end for n in range(1000)) for end in ("\n", "x\n")]
    draw = random.Random(3)  # noqa: S311 - test data
    repeated = ["".join(f"| row {draw.randrange(4)} |\n" for _ in range(3_000)) for _ in range(2)]
    rows = [
        Row(
            "2,000 lines, a tenth changed: lines and words", _ms(lines_and_words, old, new), GOAL_MS
        ),
        Row("the same, with blocks and moves", _ms(compare, old, new), HOSTILE_GOAL_MS),
        Row("hostile: lines that grow by a letter", _ms(compare, *growing), HOSTILE_GOAL_MS),
        Row("hostile: 3,000 lines of four values", _ms(compare, *repeated), HOSTILE_GOAL_MS),
    ]
    sys.stdout.write("| what | comparison, ms | goal |\n|---|---|---|\n")
    sys.stdout.writelines(f"{row}\n" for row in rows)
    return int(any(row.far_off for row in rows))


if __name__ == "__main__":
    sys.exit(main())
