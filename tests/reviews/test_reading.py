"""What people have seen of a plan, block by block."""

import pytest
from django.contrib.auth.models import User

from planmode.core.errors import NotAllowedError
from reviews import services
from reviews.core.decisions import DecisionKind
from reviews.core.errors import ReviewUnknownError
from reviews.models import SeenBlock, Visit
from tests.desk import caller, decide
from tests.factories import PLAN, Play, play, submits
from tests.reviews.pages_client import browser

pytestmark = pytest.mark.django_db
SECOND = PLAN + "\n## Risks\n\nNone.\n"


@pytest.fixture
def revised(operator: User, reviewer: User) -> Play:
    """A plan in its second revision."""
    session = play(operator, [submits(), {"after": "revise", **submits(SECOND)}]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Name the risks")
    return session.work()


def titles(session: Play, person: User) -> list[str]:
    """Return the first lines of what the person has not seen yet."""
    left = services.unseen(session.review, person.pk)
    return [block.text.partition("\n")[0] for block in left]


def test_what_was_on_the_screen_is_seen(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    blocks = services.blocks_of(session.review)
    assert titles(session, reviewer) == ["# Tidy the parser", "1. Read parser.py"]
    left = services.see(session.review.pk, [blocks[0].digest, "f" * 64], by=caller(reviewer))
    assert left == 1
    assert titles(session, reviewer) == ["1. Read parser.py"]
    assert titles(session, operator) != titles(session, reviewer), "each person sees for themselves"


def test_what_is_no_block_of_the_plan_is_not_kept(operator: User, reviewer: User) -> None:
    """Nobody can say beforehand that they have seen what a later revision will hold."""
    session = play(operator, [submits()]).work()
    services.see(session.review.pk, ["f" * 64, "no digest"], by=caller(reviewer))
    assert not SeenBlock.objects.exists()


def test_a_new_revision_leaves_what_changed(revised: Play, reviewer: User) -> None:
    first = services.blocks_of(revised.review)[:1]
    services.see(revised.review.pk, [block.digest for block in first], by=caller(reviewer))
    assert titles(revised, reviewer) == ["1. Read parser.py", "## Risks", "None."]
    assert services.see(revised.review.pk, None, by=caller(reviewer)) == 0
    assert services.see(revised.review.pk, None, by=caller(reviewer)) == 0, "twice is once"


def test_only_who_may_read_the_plan_sees_it(operator: User, manager: User, stranger: User) -> None:
    session = play(operator, [submits()]).work()
    with pytest.raises(ReviewUnknownError):
        services.see(session.review.pk, None, by=caller(stranger))
    with pytest.raises(NotAllowedError):
        services.see(session.review.pk, None, by=caller(manager))


def test_the_page_counts_changed_blocks_that_were_not_seen(revised: Play, reviewer: User) -> None:
    client, address = browser(reviewer), f"/reviews/{revised.review.pk}"
    page = client.get(f"{address}?view=clean").content.decode()
    assert "2 changed blocks not yet seen" in page
    assert 'id="b-6"' in page
    assert page.count('data-unseen="changed"') == 2
    assert client.post(f"{address}/seen", {"all": "yes"}).status_code == 302
    page = client.get(f"{address}?view=clean").content.decode()
    assert "blocks not yet seen" not in page
    assert "data-unseen" not in page


def test_a_script_says_what_was_on_the_screen(revised: Play, reviewer: User) -> None:
    digest = services.blocks_of(revised.review)[2].digest
    response = browser(reviewer).post(f"/reviews/{revised.review.pk}/seen", {"block": [digest]})
    assert response.json() == {"left": 3}


def test_a_visit_is_noted_once_a_person(revised: Play, reviewer: User) -> None:
    client = browser(reviewer)
    for _ in range(2):
        client.get(f"/reviews/{revised.review.pk}")
    (visit,) = Visit.objects.filter(person=reviewer)
    assert visit.review == revised.review


def test_the_page_lists_the_sections_with_what_changed(revised: Play, reviewer: User) -> None:
    page = browser(reviewer).get(f"/reviews/{revised.review.pk}?view=clean").content.decode()
    contents = page[page.index("data-contents") : page.index("</ol>", page.index("data-contents"))]
    assert 'href="#b-1"' in contents
    assert 'href="#b-6"' in contents
    assert "2 changed" in contents
