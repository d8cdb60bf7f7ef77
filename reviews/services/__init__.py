"""Verbs of the review desk, each one transaction."""

from reviews.services.answers import LONGEST_ANSWER, answer_approval, answer_question
from reviews.services.cards import cards, locked, owned
from reviews.services.comments import NewDraft, discard_draft, publish, save_draft, settle
from reviews.services.deadlines import expire_due, extend
from reviews.services.deciders import may_decide
from reviews.services.decisions import decide
from reviews.services.endings import how_it_ended
from reviews.services.policies import set_policy
from reviews.services.preferences import (
    absences_of,
    add_absence,
    drop_absence,
    not_covered,
    set_preferences,
)
from reviews.services.reading import blocks_of, see, unseen, visit
from reviews.services.tokens import issue_token
from reviews.services.votes import withdraw_vote

__all__ = [
    "LONGEST_ANSWER",
    "NewDraft",
    "absences_of",
    "add_absence",
    "answer_approval",
    "answer_question",
    "blocks_of",
    "cards",
    "decide",
    "discard_draft",
    "drop_absence",
    "expire_due",
    "extend",
    "how_it_ended",
    "issue_token",
    "locked",
    "may_decide",
    "not_covered",
    "owned",
    "publish",
    "save_draft",
    "see",
    "set_policy",
    "set_preferences",
    "settle",
    "unseen",
    "visit",
    "withdraw_vote",
]
