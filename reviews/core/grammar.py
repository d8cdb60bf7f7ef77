"""The Markdown that plans are read as, as far as it makes blocks."""

import re
from typing import Final
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockprocessors import HashHeaderProcessor
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension, TableProcessor

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
"""Tags of headings, and their levels."""


def grammar() -> Markdown:
    """Return a parser that makes no HTML of HTML and leaves link definitions in sight."""
    md = Markdown(extensions=[TableExtension(), SaneListExtension()])
    md.preprocessors.deregister("html_block")
    md.parser.blockprocessors.deregister("reference")  # it would take definitions out of sight
    md.parser.blockprocessors.register(_Heading(md.parser), "hashheader", 70)
    md.parser.blockprocessors.register(
        _Table(md.parser, {"use_align_attribute": True}), "table", 75
    )
    md.stripTopLevelTags = False
    return md


class _Heading(HashHeaderProcessor):
    """Takes number signs for a heading only before a blank, as everybody does."""

    RE = re.compile(r"(?:^|\n)(?P<level>#{1,6})(?=[ \n]|$)(?P<header>[^\n]*)(?:\n|$)")


class _Table(TableProcessor):
    """Leaves text alone that has more cells in a row than in its head: they would be dropped."""

    def test(self, parent: Element, block: str) -> bool:
        """Return whether ``block`` is a table."""
        if not super().test(parent, block):
            return False
        split = self._split_row  # type: ignore[attr-defined]  # the stubs lack it
        head, _rule, *rows = (split(row.strip(" ")) for row in block.split("\n"))
        return all(len(row) <= len(head) for row in rows)
