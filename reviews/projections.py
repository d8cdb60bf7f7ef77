"""Makes cards, facts, telemetry and feed of the log's events."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from planmode import queries
from planmode.core import events as ev
from planmode.core.errors import StoredDataError
from planmode.core.failures import needs_somebody
from planmode.core.options import SHOWN_FROM
from planmode.core.outcomes import Outcome
from planmode.signals import Appended, Logged, events_appended
from reviews import audit, broadcast, feed, notices, opening
from reviews.audit import Fact
from reviews.feed import Change
from reviews.models import Approval, Card, Comment, DecisionRecord, Question, Review, TelemetryEvent
from reviews.quorum import Ballot, Quorum, quorum

REVIEW, QUESTION, APPROVAL = "plan_review", "question", "approval"
TURN_STOPPED = "turn_stopped"


def connect() -> None:
    """Listen from now on."""
    events_appended.connect(project, dispatch_uid="reviews.projections")


def project(appended: Appended, **_: object) -> None:
    """Write what follows from ``appended``, inside its transaction.

    Cards and telemetry first, then notices, audit facts, and feed numbers, which must come last.
    """
    desk = _Desk(appended)
    for logged in appended.events:
        desk.take(logged)
    notices.tell_of(desk.changes, now=appended.events[-1].at)
    audit.record(desk.facts, now=appended.events[-1].at)
    feed.publish(desk.changes)
    transaction.on_commit(broadcast.look)


@dataclass(slots=True)
class _Desk:
    """One batch of events on its way onto the desk."""

    batch: Appended
    facts: list[Fact] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    revision: ev.PlanRevisionRecorded | None = None

    def take(self, logged: Logged) -> None:  # noqa: C901, PLR0912, PLR0915 - one arm for each event
        """Write what follows from one event; most follow to nothing."""
        match logged.event:
            case ev.ToolFinished(name="EnterPlanMode", is_error=False):
                self.telemetry(logged, "plan_enter_resolved", outcome=Outcome.AUTO_APPROVED)
            case ev.PlanRevisionRecorded() as event:
                self.revision = event
                self.fact(logged, "revision", asdict(event))
            case ev.PlanSubmitted() as event:
                self.open_review(logged, event)
            case ev.PlanResolved() as event:
                self.resolve_review(logged, event)
            case ev.PlanReviewClosed() as event:
                self.close_review(logged, event)
            case ev.CommentReplied() as event:
                self.reply(logged, event)
            case ev.QuestionAsked() as event:
                self.open_question(logged, event)
            case ev.QuestionAnswered() as event:
                self.answer_question(logged, event)
            case ev.ApprovalRequested() as event:
                self.open_approval(logged, event)
            case ev.ApprovalResolved() as event:
                self.answer_approval(logged, event)
            case ev.TurnEnded() | ev.TurnQueued() | ev.ConversationUndone() as event:
                self.turn(logged, event)
            case _:
                pass

    # Reviews

    def open_review(self, logged: Logged, event: ev.PlanSubmitted) -> None:
        review = Review.objects.create(
            **self.card(event.review, event.call_id, event.title, logged),
            revision_id=UUID(event.revision),
            plan_id=event.plan_id,
            revision_version=event.version,
            sha256=event.sha256,
            size=self.revision.size if self.revision else 0,
            options=[asdict(option) for option in event.options],
            edited_by_id=event.edited_by,
            **opening.columns(event, self.batch.project_id, logged.at),
        )
        self.telemetry(
            logged,
            "plan_submitted",
            review_id=review.pk,
            has_options=len(event.options) >= SHOWN_FROM,
            version=event.version,
        )
        self.fact(logged, "submission", _fact(event))
        self.change(REVIEW, "opened", review)

    def resolve_review(self, logged: Logged, event: ev.PlanResolved) -> None:
        self.close(Review, event.review, Card.Status.RESOLVED, logged, outcome=event.outcome)
        review = Review.objects.get(pk=event.review)
        found = quorum(review)
        ballots = _that_met(found, event)
        own = event.by == self.batch.owner_id or any(ballot.own for ballot in ballots)
        record = DecisionRecord.objects.create(
            review=review,
            outcome=event.outcome,
            sha256=review.sha256,
            option=event.option,
            feedback=event.feedback,
            reason=event.reason,
            start=event.start,
            by_id=event.by,
            own=own,
            policy_version=found.policy.version,
            votes=[_vote(ballot) for ballot in ballots],
            at=logged.at,
        )
        given = [sent.comment for sent in event.comments]
        Comment.objects.filter(pk__in=given).update(sent_with=record)
        self.telemetry(
            logged,
            "plan_resolved",
            outcome=event.outcome,
            review_id=review.pk,
            **_resolved_properties(review, event, logged.at, own=own),
        )
        rule = {
            "policy_version": found.policy.version,
            "votes": [ballot.person for ballot in ballots],
            "comments": given,
        }
        self.fact(logged, "decision", {**_fact(event), **rule, "sha256": review.sha256})
        self.change(REVIEW, "resolved", review)

    def close_review(self, logged: Logged, event: ev.PlanReviewClosed) -> None:
        self.close(Review, event.review, Card.Status(event.how.value), logged)
        self.fact(logged, "review_closed", _fact(event))
        self.change(REVIEW, "changed", Review.objects.get(pk=event.review))

    def reply(self, logged: Logged, event: ev.CommentReplied) -> None:
        """Put the agent's answer below the comment; its author is nobody."""
        here = Comment.objects.filter(review__session_id=self.batch.session_id)
        thread = here.filter(pk=event.comment).select_related("review").first()
        if thread is None:
            return  # a fork answers what its source was given
        Comment.objects.create(
            review=thread.review, parent=thread, text=event.text, published_at=logged.at
        )
        self.change(REVIEW, "changed", thread.review)

    # Questions and tool approvals

    def open_question(self, logged: Logged, event: ev.QuestionAsked) -> None:
        question = Question.objects.create(
            **self.card(event.question, event.call_id, "Question", logged),
            summary=_line(event.items[0].text),
            items=[asdict(item) for item in event.items],
        )
        self.change(QUESTION, "opened", question)

    def answer_question(self, logged: Logged, event: ev.QuestionAnswered) -> None:
        self.close(
            Question,
            event.question,
            Card.Status.RESOLVED,
            logged,
            answers=list(event.answers),
            answered_by=event.by,
        )
        self.change(QUESTION, "answered", Question.objects.get(pk=event.question))

    def open_approval(self, logged: Logged, event: ev.ApprovalRequested) -> None:
        approval = Approval.objects.create(
            **self.card(event.approval, event.call_id, _tool_and_path(event), logged),
            summary=_line(event.summary),
            tool=event.name,
            arguments=event.args,
        )
        self.change(APPROVAL, "opened", approval)

    def answer_approval(self, logged: Logged, event: ev.ApprovalResolved) -> None:
        self.close(
            Approval,
            event.approval,
            Card.Status.RESOLVED,
            logged,
            allowed=event.allow,
            note=event.note,
            answered_by=event.by,
        )
        self.fact(logged, "tool_approval", _fact(event))
        self.change(APPROVAL, "answered", Approval.objects.get(pk=event.approval))

    def withdraw_cards(self, logged: Logged) -> None:
        """Close what the ended turn left waiting."""
        for kind, name in ((Question, QUESTION), (Approval, APPROVAL)):
            for card in kind.objects.filter(session_id=self.batch.session_id).open():
                self.close(kind, str(card.pk), Card.Status.WITHDRAWN, logged)
                card.version += 1
                self.change(name, "answered", card)

    # Sessions that need somebody

    def turn(
        self, logged: Logged, event: ev.TurnEnded | ev.TurnQueued | ev.ConversationUndone
    ) -> None:
        if isinstance(event, ev.TurnEnded):
            self.withdraw_cards(logged)
            self.stop_turn(logged, event)
        else:
            self.go_on(logged)

    def stop_turn(self, logged: Logged, event: ev.TurnEnded) -> None:
        """Note a turn that ended although nobody decided so, unless an agent looks after it."""
        if not needs_somebody(event.state, event.reason):
            return
        if queries.session(self.batch.session_id).parent:
            return
        self.telemetry(logged, TURN_STOPPED, reason=event.reason, state=event.state)
        self.change_session("stopped", logged)

    def go_on(self, logged: Logged) -> None:
        """Tell that a session which once needed somebody has got them."""
        rows = TelemetryEvent.objects.filter(session_id=self.batch.session_id, name=TURN_STOPPED)
        if rows.exists():
            self.change_session("resumed", logged)

    def change_session(self, what: str, logged: Logged) -> None:
        batch = self.batch
        kind = f"session.{what}"
        self.changes.append(
            Change(kind, batch.project_id, batch.owner_id, batch.session_id, logged.seq)
        )

    # What all of them need

    def card(self, card_id: str, call_id: str, title: str, logged: Logged) -> dict[str, Any]:
        return {
            "id": UUID(card_id),
            "session_id": self.batch.session_id,
            "project_id": self.batch.project_id,
            "call_id": call_id,
            "title": _line(title),
            "opened_at": logged.at,
        }

    def close(
        self,
        kind: type[Review] | type[Question] | type[Approval],
        card_id: str,
        status: Card.Status,
        logged: Logged,
        **fields: Any,  # noqa: ANN401 - columns of the card
    ) -> None:
        """Close the card by one conditional UPDATE; there is no other way to close one.

        Raises:
            StoredDataError: it is not open, though the log says so: nothing is written over.
        """
        closed = (
            kind.objects.filter(pk=card_id)
            .open()
            .update(status=status, closed_at=logged.at, version=F("version") + 1, **fields)
        )
        if not closed:
            raise StoredDataError(f"{kind.__name__} {card_id} is not open, though its log says so")

    def change(self, card: str, what: str, row: Card) -> None:
        batch = self.batch
        self.changes.append(
            Change(f"{card}.{what}", batch.project_id, batch.owner_id, row.pk, row.version)
        )

    def fact(self, logged: Logged, kind: str, data: dict[str, Any]) -> None:
        session = {"id": str(self.batch.session_id), "seq": logged.seq, "head": logged.hash}
        self.facts.append(Fact(kind, {**data, "session": session}))

    def telemetry(
        self,
        logged: Logged,
        name: str,
        *,
        outcome: str = "",
        review_id: UUID | None = None,
        **properties: Any,  # noqa: ANN401 - JSON values
    ) -> None:
        TelemetryEvent.objects.create(
            name=name,
            session_id=self.batch.session_id,
            project_id=self.batch.project_id,
            seq=logged.seq,
            at=logged.at,
            day=logged.at.astimezone(UTC).date(),
            outcome=outcome,
            review_id=review_id,
            properties=properties,
        )


def _line(text: str) -> str:
    return " ".join(text.split())[:500]


def _tool_and_path(event: ev.ApprovalRequested) -> str:
    """Return a title that may stand in every list: no command, no text of a file."""
    args = json.loads(event.args)
    path = args.get("path") if isinstance(args, dict) else None
    return f"{event.name} {path}" if isinstance(path, str) else event.name


def _fact(
    event: ev.PlanSubmitted | ev.PlanResolved | ev.PlanReviewClosed | ev.ApprovalResolved,
) -> dict[str, Any]:
    """Return the event's fields without free text: an audit fact names people by id only."""
    free = {"feedback", "reason", "note", "title", "comments"}
    return {name: value for name, value in asdict(event).items() if name not in free}


def _that_met(found: Quorum, event: ev.PlanResolved) -> tuple[Ballot, ...]:
    """Return the votes by which a plan was approved; none when something else happened."""
    if event.outcome is not Outcome.APPROVED:
        return ()
    return tuple(ballot for ballot in found.ballots if ballot.option == event.option)


def _vote(ballot: Ballot) -> dict[str, Any]:
    """Return what a decision keeps of a vote: no words, and people by id only."""
    return {
        "at": ballot.at.isoformat(),
        "by": ballot.person,
        "deputy_of": ballot.deputy_id,
        "lead": ballot.lead,
        "own": ballot.own,
        "start": ballot.start,
    }


def _resolved_properties(
    review: Review, event: ev.PlanResolved, at: datetime, *, own: bool
) -> dict[str, Any]:
    """Return what telemetry keeps of a resolution; a feedback's text is never among it."""
    properties: dict[str, Any] = {
        "version": review.revision_version,
        "has_options": len(review.options) >= SHOWN_FROM,
        "has_feedback": bool(event.feedback),
        "waited_ms": round((at - review.opened_at).total_seconds() * 1000),
        "self_reviewed": own,
    }
    if event.option:
        properties["chosen_option"] = event.option
    return properties
