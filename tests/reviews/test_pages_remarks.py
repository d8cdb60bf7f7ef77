"""Remarks on the review page, without a script."""

import pytest
from django.contrib.auth.models import User

from reviews import services
from reviews.models import Comment, Draft
from tests.desk import caller
from tests.factories import Play, play, submits
from tests.reviews.pages_client import browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(operator: User) -> Play:
    """A plan under review."""
    return play(operator, [submits("# P\n\nUse MySQL\n")]).work()


def test_a_block_opens_the_form_on_its_lines(session: Play, reviewer: User) -> None:
    client, here = browser(reviewer), f"/reviews/{session.review.pk}"
    page = client.get(f"{here}?view=clean").content.decode()
    assert 'href="?view=clean&amp;comment=3-3#remark-form"' in page
    assert 'aria-label="Comment on P"' in page
    page = client.get(f"{here}?view=clean&comment=3-3").content.decode()
    assert 'name="lines" inputmode="numeric" pattern="[0-9]+(-[0-9]+)?" value="3"' in page
    assert client.get(f"{here}?comment=x").status_code == 400


def test_a_draft_is_kept_edited_and_published(session: Play, reviewer: User) -> None:
    client, here = browser(reviewer), f"/reviews/{session.review.pk}"
    sent = {"lines": "3", "text": "Why <b>MySQL</b>?", "kind": "question", "blocking": "yes"}
    assert client.post(f"{here}/drafts", {**sent, "keep": "yes"}).status_code == 302
    draft = Draft.objects.get()
    page = client.get(f"{here}?draft={draft.pk}").content.decode()
    assert "1 draft, not sent" in page
    assert "Why &lt;b&gt;MySQL&lt;/b&gt;?" in page
    again = {**sent, "draft": draft.pk, "version": 1, "text": "Why?", "publish": "yes"}
    assert client.post(f"{here}/drafts", again).status_code == 302
    comment = Comment.objects.get()
    assert (comment.text, comment.kind, comment.blocking) == ("Why?", "question", True)
    page = client.get(here).content.decode()
    assert f'id="c-{comment.pk}"' in page
    assert "1 blocking" in page
    assert "goes to the agent with the next decision" in page


def test_what_can_not_be_kept_comes_back(session: Play, reviewer: User) -> None:
    client, here = browser(reviewer), f"/reviews/{session.review.pk}"
    response = client.post(f"{here}/drafts", {"lines": "9", "text": "My long thought"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "this revision has the lines 1 to 3" in page
    assert "My long thought</textarea>" in page
    assert client.post(f"{here}/drafts", {"kind": "verdict"}).status_code == 400


def test_a_script_saves_a_draft(session: Play, reviewer: User) -> None:
    client, here = browser(reviewer), f"/reviews/{session.review.pk}/drafts"
    first = client.post(here, {"text": "a"}, headers={"Accept": "application/json"}).json()
    assert first["version"] == 1
    stale = {"text": "b", "draft": first["draft"], "version": 7}
    response = client.post(here, stale, headers={"Accept": "application/json"})
    assert response.status_code == 409
    assert "It says there: a" in response.json()["problem"]


def test_drafts_are_thrown_away_and_published_together(session: Play, reviewer: User) -> None:
    client, here = browser(reviewer), f"/reviews/{session.review.pk}"
    for text in ("a", "b"):
        services.save_draft(session.review.pk, services.NewDraft(text), by=caller(reviewer))
    first = Draft.objects.order_by("pk")[0]
    assert client.post(f"{here}/drafts/{first.pk}/discard").status_code == 302
    assert client.post(f"{here}/comments").status_code == 302
    assert [comment.text for comment in Comment.objects.all()] == ["b"]


def test_a_thread_is_answered_resolved_and_opened_again(
    session: Play, reviewer: User, operator: User
) -> None:
    services.save_draft(session.review.pk, services.NewDraft("Why?"), by=caller(reviewer))
    (comment,) = services.publish(session.review.pk, by=caller(reviewer))
    client, here = browser(operator), f"/reviews/{session.review.pk}"
    client.post(f"{here}/drafts", {"parent": comment.pk, "text": "Because", "publish": "yes"})
    page = client.get(here).content.decode()
    assert "Because" in page
    assert client.post(f"{here}/comments/{comment.pk}", {"resolve": "yes"}).status_code == 302
    assert "1 resolved" in client.get(here).content.decode()
    assert client.post(f"{here}/comments/{comment.pk}", {"reopen": "yes"}).status_code == 302
    comment.refresh_from_db()
    assert comment.resolved_at is None


def test_remarks_of_one_person(session: Play, reviewer: User, operator: User) -> None:
    for person, text in ((reviewer, "From the reviewer"), (operator, "From the owner")):
        services.save_draft(session.review.pk, services.NewDraft(text), by=caller(person))
        services.publish(session.review.pk, by=caller(person))
    client = browser(reviewer)
    page = client.get(f"/reviews/{session.review.pk}?by=operator").content.decode()
    assert "From the owner" in page
    assert "From the reviewer" not in page


def test_who_may_not_comment_has_no_form(session: Play, manager: User) -> None:
    assert browser(manager).get(f"/reviews/{session.review.pk}").status_code == 403
    response = browser(manager).post(f"/reviews/{session.review.pk}/drafts", {"text": "x"})
    assert response.status_code == 403


def test_a_decision_publishes_the_drafts_first(session: Play, reviewer: User) -> None:
    """Feedback is not asked for twice: the remarks say what to change."""
    review = session.review
    services.save_draft(review.pk, services.NewDraft("Use PostgreSQL"), by=caller(reviewer))
    client, here = browser(reviewer), f"/reviews/{review.pk}"
    page = client.get(f"{here}?decide=revise").content.decode()
    assert "Publish my draft first" in page
    sent = {"decision": "revise", "sha256": review.sha256, "publish": "yes"}
    assert client.post(f"{here}/decision", sent).status_code == 302
    comment = Comment.objects.get()
    assert comment.sent_with is not None
    assert session.review.outcome == "revise"


def test_a_refused_decision_publishes_nothing(session: Play, reviewer: User) -> None:
    services.save_draft(session.review.pk, services.NewDraft("Mine"), by=caller(reviewer))
    sent = {"decision": "revise", "sha256": "0" * 64, "publish": "yes"}
    response = browser(reviewer).post(f"/reviews/{session.review.pk}/decision", sent)
    assert response.status_code == 409
    assert Draft.objects.exists()
    assert not Comment.objects.exists()
