"""What each person has had on their screen."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from planmode import queries
from planmode.access.may import Action, Caller, as_of_now, may
from planmode.core.errors import NotAllowedError
from reviews.core.blocks import Block, cut
from reviews.core.errors import ReviewUnknownError
from reviews.models import Review, SeenBlock, Visit
from reviews.services.cards import owned


def visit(review: Review, person_id: int) -> None:
    """Note that the person has the review's page open now."""
    row = Visit(review=review, person_id=person_id, version=review.version, at=timezone.now())
    Visit.objects.bulk_create(  # one statement, whoever else has the page open
        [row],
        update_conflicts=True,
        unique_fields=["person", "review"],
        update_fields=["version", "at"],
    )


@transaction.atomic
def see(review_id: UUID, digests: Collection[str] | None, *, by: Caller) -> int:
    """Note which blocks of a review's plan were on the person's screen; ``None`` for all.

    Return how many are left. What is no block of this plan counts for nothing: nobody can have
    seen what it will say.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        NotAllowedError: they may not read it.
        StoredDataError: the plan's bytes are not those that were submitted.
    """
    review = Review.objects.select_related("session", "project").filter(pk=review_id).first()
    person = as_of_now(by)
    if review is None or not may(person, Action.READ_TITLE, owned(review)):
        raise ReviewUnknownError(f"no review {review_id}")
    if not may(person, Action.READ_PLAN, owned(review)):
        raise NotAllowedError("your roles in this project do not let you read this plan")
    blocks = blocks_of(review)
    there = {block.digest for block in blocks}
    new = there if digests is None else there & set(digests)
    SeenBlock.objects.bulk_create(
        (
            SeenBlock(
                person_id=by.user_id,
                session_id=review.session_id,
                plan_id=review.plan_id,
                digest=digest,
            )
            for digest in sorted(new)
        ),
        ignore_conflicts=True,
    )
    return len(unseen(review, by.user_id, blocks))


def unseen(
    review: Review, person_id: int, blocks: tuple[Block, ...] | None = None
) -> tuple[Block, ...]:
    """Return the blocks of the plan that were never on the person's screen, in order.

    A block that an earlier revision held word for word counts as seen. ``blocks`` are the plan's,
    where the caller has them already.

    Raises:
        StoredDataError: the plan's bytes are not those that were submitted.
    """
    found = blocks_of(review) if blocks is None else blocks
    rows = SeenBlock.objects.filter(
        person_id=person_id, session_id=review.session_id, plan_id=review.plan_id
    )
    seen = set(rows.values_list("digest", flat=True))
    return tuple(block for block in found if block.digest not in seen)


def blocks_of(review: Review) -> tuple[Block, ...]:
    """Return the blocks of the plan that ``review`` is about.

    Raises:
        StoredDataError: the plan's bytes are not those that were submitted.
    """
    return cut(queries.plan_bytes(review.sha256).decode("utf-8"))
