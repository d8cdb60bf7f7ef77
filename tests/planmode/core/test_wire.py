"""What is stored comes back, in the same bytes everywhere."""
# ruff: noqa: E501 - a row of a table is a line

import hashlib
import json
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Final, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core import events as ev
from planmode.core.errors import EventUnknownError
from planmode.core.options import PlanOption
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode
from planmode.core.wire import (
    NAMES,
    NO_HASH,
    VERSION,
    canonical,
    clean,
    dumped,
    link,
    loaded,
    name_of,
    parsed,
)

WORDS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN: Final[dict[object, st.SearchStrategy[Any]]] = {
    str: WORDS,
    int: st.integers(0, 2**53 - 1),  # what every JSON reader keeps
    bool: st.booleans(),
    type(None): st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a type's own form
    """Return values of the annotation ``kind``, as events have them."""
    if kind in PLAIN:
        return PLAIN[kind]
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{name: values(hint) for name, hint in hints.items()})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if get_origin(kind) is tuple:
        return st.lists(values(get_args(kind)[0]), max_size=2).map(tuple)
    return st.one_of([values(one) for one in get_args(kind)])


EVENTS: Final = values(ev.Event)


def test_each_event_has_its_own_name() -> None:
    assert set(NAMES) == set(get_args(ev.Event))
    assert len(set(NAMES.values())) == len(NAMES)
    assert name_of(ev.PlanSubmitted) == "plan.submitted"


@given(event=EVENTS)
def test_events_come_back_as_they_were(event: ev.Event) -> None:
    name, payload = dumped(event)
    assert loaded(name, VERSION, json.loads(json.dumps(payload))) == event
    assert loaded(name, VERSION, parsed(canonical(payload))) == event


@pytest.mark.parametrize(
    ("event", "name", "payload"),
    [
        pytest.param(
            ev.PlanModeEntered("calm-elm-fox", PermissionMode.AUTO),
            "plan_mode.enter",
            {"plan_id": "calm-elm-fox", "previous_mode": "auto", "folder": "", "by": None},
            id="enter",
        ),
        pytest.param(
            ev.PlanResolved("r1", Outcome.REJECTED_AND_EXITED, reason="no", by=7),
            "plan.resolved",
            {
                "review": "r1", "outcome": "rejected_and_exited", "option": "", "feedback": "",
                "reason": "no", "start": True, "by": 7, "comments": [],
            },
            id="resolved",
        ),
        pytest.param(
            ev.PlanReviewClosed("r1", Closure.WITHDRAWN),
            "plan.closed",
            {"review": "r1", "how": "withdrawn"},
            id="closed",
        ),
        pytest.param(
            ev.PlanSubmitted("r1", "c1", "v1", "p", 1, NO_HASH, "T", (PlanOption("A", "b"),)),
            "plan.submitted",
            {
                "review": "r1", "call_id": "c1", "revision": "v1", "plan_id": "p", "version": 1,
                "sha256": NO_HASH, "title": "T", "options": [{"label": "A", "description": "b"}],
                "edited_by": None,
            },
            id="submitted",
        ),
    ],
)  # fmt: skip
def test_the_form_of_what_is_stored(event: ev.Event, name: str, payload: dict[str, Any]) -> None:
    assert dumped(event) == (name, payload)


@pytest.mark.parametrize(
    ("name", "version", "payload", "says"),
    [
        pytest.param("plan.closed", VERSION + 1, {"review": "r", "how": "expired"}, "upgrade", id="newer"),
        pytest.param("plan.sung", VERSION, {}, "upgrade", id="unknown"),
        pytest.param("plan.closed", VERSION, {"review": "r"}, "another form", id="a field less"),
        pytest.param("plan.closed", VERSION, {"review": "r", "how": "lost"}, "another form", id="an unknown value"),
        pytest.param("plan.closed", VERSION, None, "another form", id="nothing"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(
    name: str, version: int, payload: object, says: str
) -> None:
    """dsh:D-02."""
    with pytest.raises(EventUnknownError, match=says):
        loaded(name, version, payload)


@pytest.mark.parametrize(
    ("value", "content"),
    [
        pytest.param({"b": 1, "a": [True, None, "x"]}, b'{"a":[true,null,"x"],"b":1}', id="order"),
        pytest.param({"é": "\u20ac\n"}, '{"é":"€\\n"}'.encode(), id="letters"),
        pytest.param([1.0, 1e21, 0.1], b"[1,1e+21,0.1]", id="numbers"),
        pytest.param({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'.encode(), id="by UTF-16"),
    ],
)  # fmt: skip
def test_canonical(value: object, content: bytes) -> None:
    assert canonical(value) == content


@given(payload=st.dictionaries(WORDS, st.integers(-9, 9) | WORDS | st.booleans()))
def test_canonical_bytes_do_not_depend_on_order(payload: dict[str, Any]) -> None:
    turned = dict(reversed(payload.items()))
    assert canonical(turned) == canonical(payload)
    assert parsed(canonical(payload)) == payload


def test_a_link_is_the_hash_of_kind_predecessor_and_content() -> None:
    head = f"planmode:session:1\n{NO_HASH}\n".encode()
    assert link("session", NO_HASH, b"{}") == hashlib.sha256(head + b"{}").hexdigest()
    assert NO_HASH == "0" * 64


def test_a_link_changes_with_each_of_them() -> None:
    links = {
        link("session", NO_HASH, b"{}"),
        link("audit", NO_HASH, b"{}"),
        link("session", "1" * 64, b"{}"),
        link("session", NO_HASH, b"[]"),
    }
    assert len(links) == 4


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain é \u202e\n", "plain é \u202e\n"),
        ("a\0b", "a\ufffdb"),
        ("a\ud800b\udfffc", "a\ufffdb\ufffdc"),
        ("\ud83d\ude00", "\ufffd\ufffd"),
    ],
)
def test_clean(text: str, kept: str) -> None:
    assert clean(text) == kept


@given(text=st.text(st.characters()))
def test_clean_text_can_be_kept(text: str) -> None:
    kept = clean(text)
    assert kept.encode().decode() == kept
    assert "\0" not in kept
    assert len(kept) == len(text)
    assert clean(kept) == kept
