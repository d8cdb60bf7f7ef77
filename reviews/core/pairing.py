"""Which of the old and of the new are versions of each other."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from reviews.core.alignment import Step, aligned
from reviews.core.words import alike, significant, tokens, weight

ALIKE: Final = 0.4
"""Below it two lines share words by chance, and marks inside them would be confetti."""
_SWALLOWED: Final = 3
"""What is kept between two changes is told as changed if either is so many times its weight."""
_KEPT_PART: Final = 6
"""Of two versions at least this part is kept (by weight), or they are not shown as versions."""


@dataclass(slots=True)
class Effort:
    """How much work the words of one diff may still be: counted, not timed.

    ``longest`` is the longest line, in characters, whose words are looked at; ``characters`` those
    of all lines; ``looks`` the words looked at in search of pairs, ``gap_looks`` in one gap.
    """

    longest: int = 2_000
    characters: int = 100_000
    gap_looks: int = 60_000
    looks: int = 400_000

    def words(self, line: str) -> list[str] | None:
        """Return the words of ``line``; ``None`` if that is too much."""
        if len(line) > min(self.longest, self.characters):
            return None
        self.characters -= len(line)
        return tokens(line)

    def allows(self, looks: int) -> bool:
        """Whether there is so much left; if so, it is taken."""
        if looks > min(self.gap_looks, self.looks):
            return False
        self.looks -= looks
        return True


@dataclass(frozen=True, slots=True)
class Sayings:
    """Texts as lists of words (``None``: too much to read), and what each of them says.

    Only texts of the same ``kinds`` can be versions of each other.
    """

    words: tuple[Sequence[str] | None, ...]
    said: tuple[frozenset[str], ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(
        cls, words: Sequence[Sequence[str] | None], kinds: Sequence[str] | None = None
    ) -> "Sayings":
        """Return what ``words`` say."""
        said = tuple(significant(text) if text else frozenset() for text in words)
        return cls(tuple(words), said, tuple(kinds or [""] * len(words)))

    def like(self, place: int, other: "Sayings", there: int) -> float:
        """Return how much a text of these and one of ``other`` say the same."""
        if self.kinds[place] != other.kinds[there]:
            return 0.0
        score = alike(self.said[place], other.said[there])
        return score if score >= ALIKE else 0.0


def paired(old: Sayings, new: Sayings, effort: Effort) -> list[Step]:
    """Return pairs of places, rising on both sides, whose texts are versions of each other.

    As much as possible is said the same in all of them together; where that is too much to look
    at, only texts at the same place are compared.
    """
    if not effort.allows((len(old.said) + sum(map(len, old.said))) * len(new.said)):
        places = range(min(len(old.said), len(new.said)))
        return [(place, place) for place in places if old.like(place, new, place)]
    scores = [
        [old.like(row, new, column) for column in range(len(new.said))]
        for row in range(len(old.said))
    ]
    return _best(scores, len(new.said))


def _best(scores: Sequence[Sequence[float]], width: int) -> list[Step]:
    table = [[0.0] * (width + 1)]
    for row in scores:
        above, best = table[-1], [0.0]
        for column, score in enumerate(row):
            best.append(max(above[column + 1], best[column], above[column] + score))
        table.append(best)
    pairs: list[Step] = []
    old, new = len(scores), width
    while old and new:
        here = table[old][new]
        if here == table[old - 1][new]:
            old -= 1
        elif here == table[old][new - 1]:
            new -= 1
        else:
            old, new = old - 1, new - 1
            pairs.append((old, new))
    return pairs[::-1]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Words to be compared, and how much each says (see ``words.weight``)."""

    words: Sequence[Hashable]
    weights: Sequence[int]

    @classmethod
    def of(cls, words: Sequence[str]) -> "Weighed":
        """Return ``words`` with their weights."""
        return cls(words, [weight(word) for word in words])


def kept_words(old: Weighed, new: Weighed) -> list[Step] | None:
    """Return the pairs of words that are kept, in order; ``None`` if that would be confetti.

    Little that is kept between two changes counts as changed: a reader takes in one change faster
    than three.
    """
    kept = aligned(old.words, new.words)
    if not kept:
        return None
    kept = _without_islands(kept, old, new)
    both = sum(old.weights[place] for place, _ in kept)
    larger = max(sum(old.weights), sum(new.weights))
    return kept if kept and both * _KEPT_PART >= larger else None


def _without_islands(kept: Sequence[Step], old: Weighed, new: Weighed) -> list[Step]:
    """Return ``kept`` without the runs that say little beside the changes around them."""
    runs = _runs(kept)
    behind = [*(run[0] for run in runs[1:]), (len(old.words), len(new.words))]
    solid: list[list[Step]] = []
    last = -1, -1
    before = 0
    for run, following in zip(runs, behind, strict=True):
        before += _changed(last, run[0], old, new)
        after = _changed(run[-1], following, old, new)
        weighs = sum(old.weights[place] for place, _ in run)
        last = run[-1]
        if before and after and weighs * _SWALLOWED <= min(before, after):
            before += weighs
        else:
            solid.append(run)
            before = 0
    return [step for run in solid for step in run]


def _runs(kept: Sequence[Step]) -> list[list[Step]]:
    """Return ``kept`` in runs without a change between their words."""
    runs = [[kept[0]]]
    for (old, new), step in pairwise(kept):
        if step == (old + 1, new + 1):
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _changed(start: Step, end: Step, old: Weighed, new: Weighed) -> int:
    """Return how much was changed between two kept words; at least 1 where anything was."""
    (old_start, new_start), (old_end, new_end) = start, end
    weighs = max(
        sum(old.weights[old_start + 1 : old_end]), sum(new.weights[new_start + 1 : new_end])
    )
    anything = end != (old_start + 1, new_start + 1)
    return max(weighs, int(anything))
