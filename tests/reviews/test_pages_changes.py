"""Through the pages: what changed, since when, and compared with what."""

from typing import Final
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from reviews import changes
from reviews.core.decisions import DecisionKind
from reviews.core.diff import Outline
from reviews.models import Review
from tests.desk import decide
from tests.factories import Play, play, submits
from tests.reviews.pages_client import browser, html, text

pytestmark = pytest.mark.django_db

MINUS: Final = "\N{MINUS SIGN}"
OLD: Final = """# Move the login

## Goal

Rotate the keys hourly, and tell nobody.

## Risks

The cache may be stale for a while.

## Steps

1. Read parser.py
2. Change it
"""
NEW: Final = """# Move the login

## Goal

Rotate the keys daily, and tell nobody.

## Steps

1. Read parser.py
2. Change it
3. Test it

## Risks

The cache may be stale for a while.
"""


def path(review: Review, query: str = "") -> str:
    return f"/reviews/{review.pk}{query}"


def submitted(operator: User, reviewer: User, *plans: str) -> Play:
    """Return a session that submitted these plans, each but the last sent back."""
    session = play(operator, [*map(submits, plans), {"text": "Done."}]).work()
    for _ in plans[1:]:
        decide(session, reviewer, DecisionKind.REVISE, feedback="Otherwise")
        session.work()
    return session


def revision(session: Play, number: int) -> Review:
    return Review.objects.get(session_id=session.id, revision_version=number)


@pytest.fixture
def moved(operator: User, reviewer: User) -> Play:
    return submitted(operator, reviewer, OLD, NEW)


def test_from_the_second_revision_on_a_review_opens_with_its_changes(
    moved: Play, reviewer: User
) -> None:
    client = browser(reviewer)
    assert 'href="?view=clean" aria-current="page"' in html(client.get(path(revision(moved, 1))))
    page = client.get(path(revision(moved, 2)))
    assert 'href="?view=changes" aria-current="page"' in html(page)
    assert "Revision 1 → 2 · since you last looked" in text(page)


def test_changed_words_are_marked_where_they_are_read(moved: Play, reviewer: User) -> None:
    page = html(browser(reviewer).get(path(revision(moved, 2), "?view=changes")))
    assert (
        'Rotate the keys <del class="gone"><span class="sr">removed: </span>hourly</del>'
        '<ins class="come"><span class="sr">added: </span>daily</ins>, and tell nobody.'
    ) in page


def test_what_moved_is_linked_with_where_it_was(moved: Play, reviewer: User) -> None:
    page = html(browser(reviewer).get(path(revision(moved, 2), "?view=changes")))
    assert 'id="left-1"' in page
    assert 'href="#left-1"' in page
    assert 'id="here-1"' in page
    assert 'href="#here-1"' in page
    shown = text(browser(reviewer).get(path(revision(moved, 2))))
    assert f"Changes +6 {MINUS}5 ⇄ moved 1" in shown


def test_unchanged_sections_are_folded_to_their_heading(operator: User, reviewer: User) -> None:
    plan = "# Long\n\n## Kept\n\none\n\ntwo\n\n## Other\n\nSay the old thing here.\n"
    session = submitted(operator, reviewer, plan, plan.replace("old", "new"))
    page = browser(reviewer).get(path(revision(session, 2)))
    assert "Kept 2 unchanged blocks" in text(page)
    assert "<h4>Other</h4>" in html(page), "a heading above a change is shown"


@pytest.fixture
def renumbered(operator: User, reviewer: User) -> Play:
    plan = "# Long\n" + "".join(f"- Step {number}\n" for number in range(20)) + "  - the old one\n"
    return submitted(operator, reviewer, plan, plan.replace("old", "new"))


def test_lines_stand_side_by_side_with_words_marked(renumbered: Play, reviewer: User) -> None:
    page = browser(reviewer).get(path(revision(renumbered, 2), "?view=split"))
    assert text(page).count("18 unchanged lines Long") == 1
    assert "<code>  - the <del>old</del> one</code>" in html(page)
    assert "<code>  - the <ins>new</ins> one</code>" in html(page)


def test_an_indent_is_no_text(operator: User, reviewer: User) -> None:
    plan = "- Step\n  - old\n"
    session = submitted(operator, reviewer, plan, plan.replace("old", "another text"))
    page = html(browser(reviewer).get(path(revision(session, 2), "?view=split")))
    assert "  <del>- old</del>" in page
    assert "  <ins>- another text</ins>" in page


def test_a_line_says_what_became_of_it(operator: User, reviewer: User) -> None:
    """case:C164 a screen reader reads unchanged a, removed b, added c."""
    session = submitted(operator, reviewer, "a\nb\n", "a\nc\n")
    page = text(browser(reviewer).get(path(revision(session, 2), "?view=split")))
    assert f"1 unchanged a 2 {MINUS} removed b 2 + added c" in page


def test_the_counts_are_on_every_view_once_somebody_looked(
    moved: Play, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    client, here = browser(reviewer), revision(moved, 2)
    assert "⇄" not in text(client.get(path(here, "?view=clean")))
    client.get(path(here))
    monkeypatch.setattr(changes, "outline", no_second_time)
    for view in ("clean", "split", "source", "changes"):
        assert "⇄ moved 1" in text(client.get(path(here, f"?view={view}")))


def no_second_time(old: str, new: str) -> Outline:
    """Refuse the work that was done once."""
    raise AssertionError


def test_many_changed_lines_come_in_parts(operator: User, reviewer: User) -> None:
    old, new = ("# Long\n" + f"{word}\n" * 1500 for word in ("old", "new"))
    session = submitted(operator, reviewer, old, new)
    client, here = browser(reviewer), revision(session, 2)
    first = client.get(path(here, "?view=split"))
    assert "Go on at line 2001 of 3001 These are not all changes." in text(first)
    assert (html(first).count("<del>"), html(first).count("<ins>")) == (1500, 499)
    rest = client.get(path(here, "?view=split&line=2001"))
    assert (html(rest).count("<del>"), html(rest).count("<ins>")) == (0, 1001)
    assert "Go on at" not in text(rest)
    behind = client.get(path(here, "?view=split&line=9001"))
    assert "The changes end before this line." in text(behind)


def test_many_drawn_changes_come_in_parts(operator: User, reviewer: User) -> None:
    old, new = ("".join(f"Block {n} {word}\n\n" for n in range(2500)) for word in ("old", "new"))
    session = submitted(operator, reviewer, old, new)
    client, here = browser(reviewer), revision(session, 2)
    first = client.get(path(here))
    assert "Go on at line 2001 of 2500 These are not all changes." in text(first)
    assert "Block 1999" in text(first)
    assert "Block 2000" not in text(first)
    rest = client.get(path(here, "?line=2001"))
    assert "Block 2000" in text(rest)
    assert "The changes end before this line." in text(client.get(path(here, "?line=9001")))


def test_what_can_not_be_drawn_is_compared_by_line(operator: User, reviewer: User) -> None:
    deep = ">" * 30 + " too deep\n\nold\n"
    session = submitted(operator, reviewer, deep, deep.replace("old", "new"))
    page = text(browser(reviewer).get(path(revision(session, 2))))
    assert "these are the changed lines" in page
    assert f"{MINUS} removed old" in page


def test_a_change_that_nobody_sees_is_told(operator: User, reviewer: User) -> None:
    session = submitted(operator, reviewer, "# P\n\none two\n", "# P\n\none  two\n")
    page = text(browser(reviewer).get(path(revision(session, 2))))
    assert "Drawn, both revisions look the same." in page or "one" in page


def test_any_revision_can_be_compared_with_any_other(operator: User, reviewer: User) -> None:
    plans = ("say one here\n", "say two here\n", "say three here\n")
    session = submitted(operator, reviewer, *plans)
    first, second, third = (revision(session, number) for number in (1, 2, 3))
    client = browser(reviewer)
    page = client.get(path(third, f"?from={first.pk}"))
    assert "Revision 1 → 3" in text(page)
    assert f'href="?view=split&amp;from={first.pk}"' in html(page)
    assert f'<option value="{first.pk}" selected>' in html(page)
    assert "Revision 3 → 2" in text(client.get(path(second, f"?from={third.pk}")))
    same = client.get(path(third, f"?from={third.pk}"))
    assert "Both revisions hold the same text." in text(same)


def test_the_base_is_what_the_person_saw_last(operator: User, reviewer: User) -> None:
    plans = ("say one here\n", "say two here\n", "say three here\n")
    session = submitted(operator, reviewer, *plans)
    client, third = browser(reviewer), revision(session, 3)
    assert "Revision 2 → 3" in text(client.get(path(third)))
    client.get(path(revision(session, 1)))
    page = text(client.get(path(third)))
    assert "Revision 1 → 3 · since you last looked" in page
    client.get(path(third))
    assert "Revision 1 → 3 · since you last looked" in text(client.get(path(third)))


@pytest.mark.parametrize("name", ["nothing", str(UUID(int=7))])
def test_only_revisions_of_the_session_are_compared_with(
    name: str, moved: Play, operator: User, reviewer: User
) -> None:
    """A review of another session is none that there is, whoever asks."""
    client, here = browser(reviewer), revision(moved, 2)
    assert client.get(path(here, f"?from={name}")).status_code == 404
    other = submitted(operator, reviewer, OLD)
    assert client.get(path(here, f"?from={revision(other, 1).pk}")).status_code == 404


def test_nobody_compares_who_may_not_read(moved: Play, stranger: User) -> None:
    first, second = revision(moved, 1), revision(moved, 2)
    answer = Client()
    answer.force_login(stranger)
    assert answer.get(path(second, f"?from={first.pk}")).status_code in {403, 404}
