"""Rows of the review desk."""

from reviews.models.cards import Approval, Card, CardQuerySet, Question, Review
from reviews.models.comments import Comment, CommentKind, Draft
from reviews.models.deciding import Policy, Vote
from reviews.models.people import Absence, Mail, Notice, Preferences
from reviews.models.reading import Assignment, Claim, SavedView, SeenBlock, Snooze, Visit
from reviews.models.records import AuditFact, DecisionRecord, FeedEntry, TelemetryEvent
from reviews.models.search import SearchText

__all__ = [
    "Absence",
    "Approval",
    "Assignment",
    "AuditFact",
    "Card",
    "CardQuerySet",
    "Claim",
    "Comment",
    "CommentKind",
    "DecisionRecord",
    "Draft",
    "FeedEntry",
    "Mail",
    "Notice",
    "Policy",
    "Preferences",
    "Question",
    "Review",
    "SavedView",
    "SearchText",
    "SeenBlock",
    "Snooze",
    "TelemetryEvent",
    "Visit",
    "Vote",
]
