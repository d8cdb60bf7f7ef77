"""Refusals keep what a person needs to go on."""

from planmode.core.errors import PlanUnderReviewError
from reviews.core.errors import (
    BlocksUnseenError,
    DraftStaleError,
    Ending,
    PolicyInvalidError,
    ReviewClosedError,
    RevisionStaleError,
)


def test_a_refusal_keeps_what_it_is_about() -> None:
    assert ReviewClosedError("closed", ending=Ending("expired")).ending.status == "expired"
    assert RevisionStaleError("stale", current="ab").current == "ab"
    assert DraftStaleError("stale", text="mine").text == "mine"
    assert PolicyInvalidError("no", field="high.lead").field == "high.lead"
    assert BlocksUnseenError("no", count=3).count == 3
    assert "revision 2 is under review" in str(PlanUnderReviewError(2))
