"""How long it takes to say whether a shell line only reads."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import tree_sitter_bash
import yaml
from tree_sitter import Language, Parser

from planmode.shell.verdict import LONGEST, read

GOAL_MS: Final = 1.0
"""Most that the median decision may take."""
_TIMES: Final = 5
_VECTORS: Final = Path(__file__).parents[1] / "tests/vectors/shell_read_only.yaml"
_PIECES: Final = (
    "git log --oneline -5 --stat -- 'src/a b.py'",
    "grep -rn 'needle' --include=*.py src | sort | uniq -c | head -n 20",
    'for f in *.py; do echo "$f"; wc -l "$f"; done',
    "if [ -f a.txt ]; then cat a.txt; else ls -la; fi 2>/dev/null",
    "find . -name '*.md' -newer a.txt -print0 | xargs -0 wc -l",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; times in milliseconds, medians of runs and lines."""

    name: str
    floor_ms: float
    ours_ms: float
    goal_ms: float | None = None

    def __str__(self) -> str:
        goal = "" if self.goal_ms is None else f"median < {self.goal_ms:g} ms"
        return f"| {self.name} | {self.floor_ms:.3f} | {self.ours_ms:.3f} | {goal} |"

    @property
    def far_off(self) -> bool:
        """Return whether it takes more than twice the goal."""
        return self.goal_ms is not None and self.ours_ms > 2 * self.goal_ms


def long_lines() -> list[str]:
    """Return ten lines, from 500 characters to nearly the most that are looked at."""
    script = "; ".join(_PIECES * 40)
    lengths = [500, *range(1000, LONGEST, 1000)]
    return [script[: script.rindex("; ", 0, length)] for length in lengths]


def measure(lines: Sequence[str]) -> tuple[float, float]:
    """Return the median of the parser alone, and of ours, in milliseconds; one after the other."""
    parser = Parser(Language(tree_sitter_bash.language()))
    floors = [_ms(lambda text: parser.parse(text.encode()), line) for line in lines]
    ours = [_ms(read, line) for line in lines]
    return median(floors), median(ours)


def _ms(decide: Callable[[str], object], line: str) -> float:
    times = []
    for _ in range(_TIMES):
        begun = perf_counter()
        decide(line)
        times.append(perf_counter() - begun)
    return median(times) * 1000


def main() -> int:
    """Print the table; return 1 when the goal is missed by more than twice."""
    vectors: list[dict[str, Any]] = yaml.safe_load(_VECTORS.read_text("utf-8"))["vectors"]
    short = [row["cmd"] for row in vectors]
    rows = [
        Row(f"shell: {len(short)} lines of the vectors", *measure(short), GOAL_MS),
        Row("shell: 10 lines of 500 to 9,000 characters", *measure(long_lines())),
    ]
    sys.stdout.write("| what | parser alone, ms | decision, ms | goal |\n|---|---|---|---|\n")
    sys.stdout.writelines(f"{row}\n" for row in rows)
    return int(any(row.far_off for row in rows))


if __name__ == "__main__":
    sys.exit(main())
