"""Comments on revisions: drafted, published, answered, resolved."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from uuid6 import uuid7

from planmode import queries
from planmode.access.may import Action, Caller, as_of_now, may
from planmode.access.models import Membership
from planmode.core.errors import NotAllowedError
from planmode.core.wire import clean
from prompts.unseen import says_something
from reviews.core.anchors import anchored
from reviews.core.errors import (
    CommentInvalidError,
    CommentUnknownError,
    DraftStaleError,
    ReviewUnknownError,
    TokenNeverDecidesError,
)
from reviews.core.mentions import mentioned
from reviews.core.telling import NoticeKind
from reviews.models import Comment, CommentKind, Draft, Review
from reviews.notices import News, tell
from reviews.services.cards import locked, owned
from reviews.services.changes import changed

LONGEST_COMMENT: Final = 8 * 1024
MOST_DRAFTS: Final = 200
MOST_COMMENTS: Final = 500


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A remark as a person typed it.

    ``first`` and ``last`` are lines of the review's revision, 0 for the whole plan; ``selection``
    are words in them. ``parent`` is the comment that it answers. ``suggestion`` is text to stand
    in place of the lines, ``None`` for none.
    """

    text: str = ""
    first: int = 0
    last: int = 0
    selection: str = ""
    kind: CommentKind = CommentKind.REMARK
    blocking: bool = False
    suggestion: str | None = None
    parent: UUID | None = None


@transaction.atomic
def save_draft(
    review_id: UUID, new: NewDraft, *, by: Caller, draft_id: UUID | None = None, version: int = 0
) -> Draft:
    """Keep what a person is writing, where only they see it; return it with its new version.

    ``draft_id`` and ``version`` name what was saved before, to be replaced. A draft may be blank:
    it is still being written.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them comment.
        AnchorInvalidError: the revision has no such lines or words.
        CommentUnknownError: the draft or the comment that it answers is not there.
        CommentInvalidError: it is too long, or there are too many.
        DraftStaleError: it was saved from elsewhere meanwhile; nothing was written over.
        StoredDataError: the plan's bytes are not those that were submitted.
    """
    review = _commentable(review_id, by)
    fields = _fields(review, new)
    if draft_id is None:
        if Draft.objects.filter(author_id=by.user_id, review=review).count() >= MOST_DRAFTS:
            raise CommentInvalidError(f"you have {MOST_DRAFTS} drafts here: publish them first")
        return Draft.objects.create(review=review, author_id=by.user_id, **fields)
    mine = Draft.objects.filter(pk=draft_id, review=review, author_id=by.user_id)
    draft = mine.select_for_update().first()
    if draft is None:
        raise CommentUnknownError(f"there is no draft {draft_id} of yours on this review")
    if draft.version != version:
        raise DraftStaleError("another window saved this draft meanwhile", text=draft.text)
    for name, value in fields.items():
        setattr(draft, name, value)
    draft.version += 1
    draft.save()
    return draft


def discard_draft(review_id: UUID, draft_id: UUID, *, by: Caller) -> None:
    """Throw a draft of one's own away; one that is not there is gone already."""
    Draft.objects.filter(pk=draft_id, review_id=review_id, author_id=by.user_id).delete()


@transaction.atomic
def publish(review_id: UUID, *, by: Caller) -> tuple[Comment, ...]:
    """Publish all drafts of a person on a review at once, but for blank ones, which go.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them comment.
        CommentInvalidError: the review has as many comments as it takes.
    """
    review = _commentable(review_id, by)
    drafts = Draft.objects.filter(author_id=by.user_id, review=review).order_by("pk")
    told = [draft for draft in drafts if _says_something(draft)]
    if Comment.objects.filter(review=review).count() + len(told) > MOST_COMMENTS:
        raise CommentInvalidError(f"a review takes {MOST_COMMENTS} comments")
    batch = uuid7()
    made = tuple(_published(review, draft, batch) for draft in told)
    drafts.delete()
    if made:
        hashes = {str(comment.pk): words_sha256(comment) for comment in made}
        changed(review, "comments_published", {"by": by.user_id, "comments": hashes})
    return made


@transaction.atomic
def settle(comment_id: UUID, *, resolved: bool, by: Caller) -> Comment:
    """Resolve a thread, or open it again.

    Raises:
        CommentUnknownError: no such thread that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them comment.
    """
    found = Comment.objects.filter(pk=comment_id, parent=None).values_list("review", flat=True)
    review_id = found.first()
    if review_id is None:
        raise CommentUnknownError(f"no comment {comment_id}")
    try:
        review = _commentable(review_id, by)
    except ReviewUnknownError as error:
        raise CommentUnknownError(f"no comment {comment_id}") from error
    comment = Comment.objects.get(pk=comment_id)
    comment.resolved_at = timezone.now() if resolved else None
    comment.resolved_by_id = by.user_id if resolved else None
    comment.save(update_fields=["resolved_at", "resolved_by"])
    kind = "comment_resolved" if resolved else "comment_reopened"
    changed(review, kind, {"by": by.user_id, "comment": str(comment.pk)})
    return comment


def words_sha256(comment: Comment) -> str:
    """Return the hash that audit facts and receipts know a comment's words by."""
    said = "\0".join([comment.text, "" if comment.suggestion is None else comment.suggestion])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _commentable(review_id: UUID, by: Caller) -> Review:
    review = locked(Review, review_id, ReviewUnknownError)
    person = as_of_now(by)
    if not may(person, Action.READ_TITLE, owned(review)):
        raise ReviewUnknownError(f"no review {review_id}")
    if person.by_token:
        raise TokenNeverDecidesError("a program comments through its agent's tool alone")
    if not may(person, Action.COMMENT, owned(review)):
        raise NotAllowedError("your roles in this project do not let you comment")
    return review


def _fields(review: Review, new: NewDraft) -> dict[str, object]:
    for name, text in (("text", new.text), ("suggestion", new.suggestion or "")):
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > LONGEST_COMMENT:
            raise CommentInvalidError(
                f"the {name} has {size} bytes, the limit is {LONGEST_COMMENT}; shorten it"
            )
    if new.parent is not None:
        _check_parent(review, new.parent)
    text = queries.plan_bytes(review.sha256).decode("utf-8")
    anchor = anchored(text, new.first, new.last, selection=new.selection)
    if new.suggestion is not None and anchor.whole:
        raise CommentInvalidError("a suggestion needs the lines that it stands in place of")
    return {
        "anchor": asdict(anchor),
        "kind": CommentKind.SUGGESTION if new.suggestion is not None else new.kind,
        "blocking": new.blocking,
        "text": clean(new.text),
        "suggestion": None if new.suggestion is None else clean(new.suggestion),
        "parent_id": new.parent,
    }


def _check_parent(review: Review, parent: UUID) -> None:
    threads = Comment.objects.threads().filter(
        pk=parent, review__session_id=review.session_id, review__plan_id=review.plan_id
    )
    if not threads.exists():
        raise CommentUnknownError(f"there is no comment {parent} on this plan to answer")


def _says_something(draft: Draft) -> bool:
    return says_something(draft.text) or draft.suggestion is not None


def _published(review: Review, draft: Draft, batch: UUID) -> Comment:
    comment = Comment.objects.create(
        review=review,
        parent_id=draft.parent_id,
        author_id=draft.author_id,
        kind=draft.kind,
        blocking=draft.blocking and draft.parent_id is None,
        anchor=draft.anchor,
        text=draft.text,
        suggestion=draft.suggestion,
        batch=batch,
        published_at=timezone.now(),
    )
    called = _members(review, draft.text)
    comment.mentions.set(called)
    # One batch calls a person once, in however many of its comments.
    event = f"{review.pk}:mentioned:{batch}"
    news = News(NoticeKind.MENTIONED, event, review.project_id, review.pk)
    people = {person.pk for person in called} - {draft.author_id}
    tell(news, people, now=comment.published_at)
    return comment


def _members(review: Review, text: str) -> list[User]:
    names = mentioned(text)
    if not names:
        return []
    here = Membership.objects.filter(Q(project=None) | Q(project_id=review.project_id))
    people = User.objects.filter(pk__in=here.values("user"), is_active=True)
    return list(people.filter(username__in=names))
