"""What is taken of a server's tools, and when one counts as read-only."""

import itertools
from typing import Any

import pytest

from planmode.agent.outside.offers import (
    LARGEST_SCHEMA,
    MOST_TOOLS,
    Standing,
    fingerprint,
    is_read_only,
    standing,
    taken,
)
from planmode.agent.outside.servers import Program, Server
from tests.outside import described, offered

WAY = Program(("a",))


@pytest.mark.parametrize(
    ("trusted", "annotated", "pinned"), list(itertools.product([False, True], repeat=3))
)
def test_read_only_needs_word_trust_and_pin(
    trusted: bool,  # noqa: FBT001 - a table
    annotated: bool,  # noqa: FBT001
    pinned: bool,  # noqa: FBT001
) -> None:
    """case:C014: neither the server's word nor the installation's trust is enough alone."""
    offer = offered(annotations={"readOnlyHint": annotated})
    server = Server("docs", WAY, trusted, pins={"search": offer.sha256} if pinned else {})
    assert is_read_only(server, offer) is (trusted and annotated and pinned)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"description": "Finds, and deletes."}, id="description"),
        pytest.param({"description": None}, id="no description"),
        pytest.param({"schema": {"type": "object", "required": ["x"]}}, id="schema"),
        pytest.param(
            {"annotations": {"readOnlyHint": True, "destructiveHint": True}}, id="annotations"
        ),
    ],
)
def test_a_change_after_the_pin_revokes_it(change: dict[str, Any]) -> None:
    """case:C014"""
    server = Server("docs", WAY, trusted=True, pins={"search": offered().sha256})
    assert standing(server, offered()) is Standing.PINNED
    changed = offered(**change)
    assert standing(server, changed) is Standing.CHANGED
    assert not is_read_only(server, changed)


def test_a_pin_is_of_one_tool() -> None:
    server = Server("docs", WAY, trusted=True, pins={"search": offered().sha256})
    assert standing(server, offered("find")) is Standing.UNPINNED


def test_the_order_of_keys_does_not_count() -> None:
    one = described(schema={"type": "object", "properties": {"a": {}, "b": {}}})
    other = described(schema={"properties": {"b": {}, "a": {}}, "type": "object"})
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize("hint", ["true", 1, None, {}, [True]])
def test_only_true_says_read_only(hint: object) -> None:
    assert not offered(annotations={"readOnlyHint": hint}).says_read_only


def test_a_tool_without_annotations_says_nothing() -> None:
    assert not offered(annotations=None).says_read_only


@pytest.mark.parametrize(
    "name", ["", "a b", "a.b", "a/b", "ä", "a\n", "a\u200b", "<from>", "x" * 60, "$(id)"]
)
def test_a_tool_with_an_odd_name_is_left_out(name: str) -> None:
    listing = taken("docs", [described(name), described()])
    assert [offer.name for offer in listing.offers] == ["search"]
    (reason,) = listing.refused
    assert reason.isascii()
    assert len(reason.splitlines()) == 1


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "items": [schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        pytest.param({}, "its arguments are no object", id="no type"),
        pytest.param({"type": "array"}, "its arguments are no object", id="list"),
        pytest.param(nested(40), "nests too deep", id="deep"),
        pytest.param({"type": "object", "x": "y" * LARGEST_SCHEMA}, "is larger", id="large"),
        pytest.param({"type": "object", "maximum": 2**60}, "no canonical form", id="number"),
    ],
)
def test_a_tool_that_no_request_can_carry_is_left_out(schema: dict[str, Any], reason: str) -> None:
    listing = taken("docs", [described(schema=schema)])
    assert listing.offers == ()
    assert reason in listing.refused[0]


def test_nesting_beyond_measure_has_no_fingerprint() -> None:
    with pytest.raises(ValueError, match="nests too deep"):
        fingerprint(described(schema=nested(5000)))


def test_of_two_tools_with_one_name_none_is_taken() -> None:
    listing = taken("docs", [described(), described(description="Another."), described("find")])
    assert [offer.name for offer in listing.offers] == ["find"]
    assert len(listing.refused) == 2


def test_tools_come_by_name_and_are_bounded() -> None:
    names = [f"t{number:03}" for number in range(MOST_TOOLS + 2)]
    listing = taken("docs", [described(name) for name in reversed(names)])
    assert [offer.name for offer in listing.offers] == names[:MOST_TOOLS]
    assert len(listing.refused) == 2
