"""Below which headings a line stands."""

from bisect import bisect_right
from collections.abc import Sequence

from reviews.core.blocks import Block


def path_at(blocks: Sequence[Block], line: int) -> tuple[str, ...]:
    """Return the headings above ``line`` (from 1), outermost first, its own with them."""
    place = bisect_right(blocks, line, key=lambda block: block.first)
    if not place:
        return ()
    block = blocks[place - 1]
    return (*block.path, block.title) if block.title else block.path
