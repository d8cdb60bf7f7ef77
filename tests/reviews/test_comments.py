"""Comments: drafted by one, published to all, carried on, answered."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from uuid6 import uuid7

from planmode.access.models import Project, Role
from planmode.core import events as ev
from planmode.core.errors import NotAllowedError
from reviews import services, threads
from reviews.core.anchors import Fate
from reviews.core.coverage import Coverage
from reviews.core.decisions import DecisionKind
from reviews.core.errors import (
    AnchorInvalidError,
    CommentInvalidError,
    CommentUnknownError,
    DecisionIncompleteError,
    DraftStaleError,
    ReviewUnknownError,
)
from reviews.models import AuditFact, Comment, Draft, FeedEntry, Notice
from reviews.services import NewDraft
from reviews.threads import Delivery
from tests.conftest import member
from tests.desk import caller, decide, every, results
from tests.factories import PLAN, STOPS_EARLY, Play, call, play, submits

pytestmark = pytest.mark.django_db
FIRST = "# P\n\nUse MySQL\n"
SECOND = "# P\n\nUse PostgreSQL\n"


def written(session: Play, by: User, text: str = "Why?", **fields: Any) -> Comment:  # noqa: ANN401 - a draft's own fields
    """Publish one comment on the newest review."""
    services.save_draft(session.review.pk, NewDraft(text, **fields), by=caller(by))
    (comment,) = services.publish(session.review.pk, by=caller(by))
    return comment


@pytest.fixture
def session(operator: User) -> Play:
    """A plan under review, of an agent that revises it once and answers what it was told."""
    return play(operator, [submits(FIRST), {"after": "revise", **submits(SECOND)}]).work()


def test_a_draft_is_only_its_authors(session: Play, reviewer: User, project: Project) -> None:
    other = member(project, "zoe", Role.REVIEWER)
    draft = services.save_draft(
        session.review.pk, NewDraft("Why?", first=3, last=3), by=caller(reviewer)
    )
    assert draft.anchor["quote"] == "Use MySQL\n"
    assert services.publish(session.review.pk, by=caller(other)) == ()
    assert Draft.objects.get() == draft
    services.discard_draft(session.review.pk, draft.pk, by=caller(other))
    assert Draft.objects.exists(), "nobody else throws it away"
    services.discard_draft(session.review.pk, draft.pk, by=caller(reviewer))
    assert not Draft.objects.exists()


def test_two_windows_do_not_write_over_each_other(session: Play, reviewer: User) -> None:
    review, who = session.review.pk, caller(reviewer)
    draft = services.save_draft(review, NewDraft("a"), by=who)
    again = services.save_draft(review, NewDraft("b"), by=who, draft_id=draft.pk, version=1)
    assert again.version == 2
    with pytest.raises(DraftStaleError) as refused:
        services.save_draft(review, NewDraft("c"), by=who, draft_id=draft.pk, version=1)
    assert refused.value.text == "b"


def test_all_drafts_are_published_at_once(session: Play, reviewer: User) -> None:
    for text in ("One", "  ", "Two"):
        services.save_draft(session.review.pk, NewDraft(text), by=caller(reviewer))
    before = FeedEntry.objects.count()
    made = services.publish(session.review.pk, by=caller(reviewer))
    assert [comment.text for comment in made] == ["One", "Two"], "a blank one goes"
    assert len({comment.batch for comment in made}) == 1
    assert not Draft.objects.exists()
    assert FeedEntry.objects.count() == before + 1
    fact = AuditFact.objects.latest("pk")
    assert fact.kind == "comments_published"
    assert b"One" not in bytes(fact.canonical), "hashes only"


def test_nothing_to_publish_changes_nothing(session: Play, reviewer: User) -> None:
    before = FeedEntry.objects.count()
    assert services.publish(session.review.pk, by=caller(reviewer)) == ()
    assert FeedEntry.objects.count() == before


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (NewDraft("x" * 9_000), CommentInvalidError),
        (NewDraft("x", first=9, last=9), AnchorInvalidError),
        (NewDraft("x", suggestion="y"), CommentInvalidError),
        (NewDraft("x", first=3, last=3, suggestion="y" * 9_000), CommentInvalidError),
    ],
)
def test_what_can_not_be_a_comment(
    session: Play, reviewer: User, new: NewDraft, error: type[Exception]
) -> None:
    with pytest.raises(error):
        services.save_draft(session.review.pk, new, by=caller(reviewer))


def test_only_members_comment(
    session: Play, manager: User, stranger: User, operator: User, admin: User
) -> None:
    with pytest.raises(NotAllowedError):
        written(session, manager)
    with pytest.raises(ReviewUnknownError):
        written(session, stranger)
    assert written(session, operator).author == operator, "it is their own agent"
    assert written(session, admin).author == admin


def test_a_reply_answers_a_comment_of_this_plan(
    session: Play, reviewer: User, operator: User
) -> None:
    comment = written(session, reviewer, blocking=True)
    reply = written(session, operator, "Because", parent=comment.pk, blocking=True)
    assert reply.parent == comment
    assert not reply.blocking
    elsewhere = play(operator, [submits(PLAN)]).work()
    with pytest.raises(CommentUnknownError):
        written(elsewhere, reviewer, "?", parent=comment.pk)


def test_a_comment_calls_members_by_name(session: Play, reviewer: User, stranger: User) -> None:
    comment = written(session, reviewer, "@operator and @stranger and @nobody, look")
    assert [person.get_username() for person in comment.mentions.all()] == ["operator"]
    told = Notice.objects.filter(kind="mentioned").values_list("person__username", flat=True)
    assert list(told) == ["operator"]


def test_nobody_is_told_of_calling_themselves(session: Play, reviewer: User) -> None:
    written(session, reviewer, "@reviewer, remember")
    assert not Notice.objects.filter(kind="mentioned").exists()


def test_a_thread_is_resolved_and_opened_again(
    session: Play, reviewer: User, stranger: User
) -> None:
    comment = written(session, reviewer)
    assert services.settle(comment.pk, resolved=True, by=caller(reviewer)).resolved_by == reviewer
    assert not threads.open_threads(session.review)
    assert services.settle(comment.pk, resolved=False, by=caller(reviewer)).resolved_at is None
    with pytest.raises(CommentUnknownError):
        services.settle(comment.pk, resolved=True, by=caller(stranger))
    with pytest.raises(CommentUnknownError):
        services.settle(session.review.pk, resolved=True, by=caller(reviewer))


def test_a_revise_needs_feedback_or_an_open_comment(session: Play, reviewer: User) -> None:
    with pytest.raises(DecisionIncompleteError):
        decide(session, reviewer, DecisionKind.REVISE)
    comment = written(session, reviewer, "Use PostgreSQL", first=3, last=3)
    decide(session, reviewer, DecisionKind.REVISE)
    (resolved,) = every(session, ev.PlanResolved)
    (sent,) = resolved.comments
    assert (sent.comment, sent.author, sent.first_line) == (str(comment.pk), "reviewer", 3)
    comment.refresh_from_db()
    assert comment.sent_with is not None


def test_a_remark_stays_with_its_line(session: Play, reviewer: User) -> None:
    """case:C088: shown at the changed line, and from which revision it is."""
    written(session, reviewer, "Use PostgreSQL", first=3, last=3, blocking=True)
    decide(session, reviewer, DecisionKind.REVISE)
    session.work()
    (thread,) = threads.threads(session.review, delivered=False)
    assert (thread.place.fate, thread.place.first) == (Fate.CHANGED, 3)
    assert thread.coverage is Coverage.CHANGED
    assert thread.said_on == 1
    assert thread.delivery is Delivery.DELIVERED
    assert "Use PostgreSQL" in results(session)[1].text


def test_a_remark_whose_line_is_gone_is_not_dropped(operator: User, reviewer: User) -> None:
    """case:C088."""
    replies = [submits(FIRST), {"after": "revise", **submits("# Q\n")}]
    session = play(operator, replies).work()
    written(session, reviewer, "Why?", first=3, last=3)
    decide(session, reviewer, DecisionKind.REVISE)
    session.work()
    (thread,) = threads.threads(session.review, delivered=False)
    assert thread.lost
    assert thread.anchor.quote == "Use MySQL\n"


def test_the_agents_answer_stands_below_the_comment(operator: User, reviewer: User) -> None:
    known = uuid7()  # an agent reads the id; a script has to know it beforehand
    answers = {"tool_calls": [call("reply_to_comment", comment=str(known), text="Done in line 3")]}
    session = play(operator, [submits(FIRST), answers, STOPS_EARLY]).work()
    written(session, reviewer, "Use PostgreSQL", first=3, last=3)
    Comment.objects.update(id=known)
    decide(session, reviewer, DecisionKind.REVISE)
    session.work()
    (thread,) = threads.threads(session.review, delivered=True)
    (reply,) = thread.replies
    assert (reply.text, reply.author) == ("Done in line 3", None)
    assert thread.delivery is Delivery.ANSWERED
    assert thread.coverage is Coverage.REPLIED


def test_an_agent_reaches_no_comments_of_other_sessions(
    session: Play, operator: User, reviewer: User
) -> None:
    comment = written(session, reviewer, "Use PostgreSQL", first=3, last=3)
    answers = {"tool_calls": [call("reply_to_comment", comment=str(comment.pk), text="Done")]}
    other = play(operator, [submits(FIRST), answers, STOPS_EARLY]).work()
    decide(other, reviewer, DecisionKind.REVISE, feedback="x")
    other.work()
    assert results(other)[-1].is_error
    assert not comment.replies.exists()


def test_a_published_comment_never_changes(session: Play, reviewer: User) -> None:
    comment = written(session, reviewer, "Why?")
    draft = NewDraft("Other words")
    with pytest.raises(CommentUnknownError):
        services.save_draft(
            session.review.pk, draft, by=caller(reviewer), draft_id=comment.pk, version=1
        )
    comment.refresh_from_db()
    assert comment.text == "Why?"
