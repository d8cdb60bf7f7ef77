"""What the pages show of the rows."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from planmode.access.models import Project
from reviews import dashboards
from reviews.core.decisions import DecisionKind
from reviews.core.errors import CardUnknownError, ReviewUnknownError
from reviews.dashboards import DAYS, OUTCOMES, PAGE_SIZE, Place, Tab
from reviews.models import TelemetryEvent
from tests.desk import allow, answer, approve, caller, decide
from tests.factories import PLAN, Play, call, play, submits
from tests.reviews.pages_client import many_questions, many_revisions

NOBODY = UUID(int=0)


@pytest.fixture
def waiting(operator: User) -> Play:
    return play(operator, [submits(PLAN, "Small", "Large"), {"text": "Done."}]).work()


@pytest.fixture
def asking(operator: User) -> Play:
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which one?"}])]}
    return play(operator, [asks, {"text": "Thanks."}]).work()


@pytest.fixture
def writing(operator: User) -> Play:
    writes = {"tool_calls": [call("Write", path="a", content="b")]}
    return play(operator, [writes, {"text": "Done."}], plan=False).work()


def test_what_waits_longest_comes_first(
    waiting: Play, asking: Play, writing: Play, reviewer: User
) -> None:
    rows = dashboards.queue(caller(reviewer), Tab.OPEN).rows
    assert [(row.kind, row.state) for row in rows] == [
        ("review", "waiting"),
        ("question", "waiting"),
        ("approval", "waiting"),
    ]
    assert [row.options for row in rows] == [2, 0, 0]
    assert all(row.readable for row in rows)


def test_what_was_answered_last_comes_first(
    waiting: Play, asking: Play, writing: Play, reviewer: User
) -> None:
    answer(asking, reviewer, "This one")
    allow(writing, reviewer, yes=False)
    decide(waiting, reviewer, DecisionKind.REVISE, feedback="More")
    rows = dashboards.queue(caller(reviewer), Tab.DECIDED).rows
    assert [(row.kind, row.state, row.who) for row in rows] == [
        ("review", "revise", "reviewer"),
        ("approval", "refused", "reviewer"),
        ("question", "answered", "reviewer"),
    ]
    assert not dashboards.queue(caller(reviewer), Tab.OPEN).rows


def test_a_manager_reads_titles_and_opens_nothing(waiting: Play, manager: User) -> None:
    (row,) = dashboards.queue(caller(manager), Tab.OPEN).rows
    assert row.title == "Tidy the parser"
    assert not row.readable


def test_pages_of_the_queue_join_without_a_gap(asking: Play, reviewer: User) -> None:
    many_questions(asking, PAGE_SIZE + 3)
    first = dashboards.queue(caller(reviewer), Tab.OPEN)
    assert len(first.rows) == PAGE_SIZE
    assert first.more is not None
    second = dashboards.queue(caller(reviewer), Tab.OPEN, start=first.more)
    assert second.more is None
    ids = [row.id for row in (*first.rows, *second.rows)]
    assert len(set(ids)) == PAGE_SIZE + 4


def test_a_place_is_read_as_it_is_written() -> None:
    place = Place(datetime(2026, 1, 1, 1, 2, 3, 4, tzinfo=UTC), NOBODY)
    assert dashboards.place(str(place)) == place


@pytest.mark.parametrize("text", ["", "_", "2026-01-01_", f"2026-01-01T00:00:00_{NOBODY}", "x_y"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        dashboards.place(text)


@pytest.mark.django_db
def test_cards_that_are_not_there_are_unknown() -> None:
    with pytest.raises(ReviewUnknownError):
        dashboards.review(NOBODY)
    with pytest.raises(CardUnknownError):
        dashboards.question(NOBODY)
    with pytest.raises(CardUnknownError):
        dashboards.approval(NOBODY)


def test_an_outcome_is_acknowledged_by_the_exit_calls_result(waiting: Play, reviewer: User) -> None:
    assert dashboards.acknowledged(waiting.review) is None
    approve(waiting, reviewer, option="Small")
    assert dashboards.acknowledged(waiting.review) is None
    waiting.work()
    at = dashboards.acknowledged(waiting.review)
    assert at is not None
    assert at >= waiting.review.decision.at


def test_an_exit_call_finds_its_review_open_or_closed(waiting: Play, reviewer: User) -> None:
    review = waiting.review
    assert dashboards.reviews_by_call(waiting.id, [review.call_id]) == {review.call_id: review}
    approve(waiting, reviewer, option="Small")
    found = dashboards.reviews_by_call(waiting.id, [review.call_id, "another"])
    assert found[review.call_id].outcome == "approved"


def test_names_are_asked_only_when_there_are_ids(operator: User) -> None:
    assert dashboards.usernames([operator.pk]) == {operator.pk: "operator"}
    with CaptureQueriesContext(connection) as queries:
        assert dashboards.usernames([]) == {}
    assert not queries.captured_queries


def test_the_audit_list_says_who_decided_and_on_whose_plan(
    operator: User, admin: User, project: Project, reviewer: User, waiting: Play
) -> None:
    approve(waiting, reviewer, option="Large")
    (line,) = dashboards.audit(caller(admin)).lines
    assert line.revision.sha256 == waiting.review.sha256
    assert (line.state, line.who, line.own) == ("approved", "reviewer", False)


def test_pages_of_the_audit_list_join_without_a_gap(waiting: Play, admin: User) -> None:
    many_revisions(waiting, PAGE_SIZE + 3)
    first = dashboards.audit(caller(admin))
    assert first.more is not None
    second = dashboards.audit(caller(admin), before=first.more)
    assert second.more is None
    lines = [*first.lines, *second.lines]
    assert len({line.revision.id for line in lines}) == PAGE_SIZE + 4


def test_a_reviewer_audits_nothing(waiting: Play, reviewer: User) -> None:
    assert not dashboards.audit(caller(reviewer)).lines


TODAY = date(2026, 3, 31)


def resolved(play: Play, outcome: str, *, ago: int, seq: int) -> TelemetryEvent:
    day = TODAY - timedelta(days=ago)
    return TelemetryEvent(
        name="plan_resolved",
        session_id=play.id,
        project_id=Project.objects.get().pk,
        seq=seq,
        at=timezone.now(),
        day=day,
        outcome=outcome,
        review_id=UUID(int=seq),
    )


def test_outcomes_are_counted_by_day(waiting: Play, manager: User) -> None:
    outcomes = ["approved"] * 3 + ["revise", "rejected", "dismissed", "auto_approved"]
    TelemetryEvent.objects.bulk_create(
        [
            *(resolved(waiting, name, ago=0, seq=900 + n) for n, name in enumerate(outcomes)),
            resolved(waiting, "rejected_and_exited", ago=DAYS - 1, seq=990),
            resolved(waiting, "approved", ago=DAYS, seq=991),
            resolved(waiting, "approved", ago=-1, seq=992),
        ]
    )
    shown = dashboards.telemetry(caller(manager), today=TODAY)
    assert shown.outcomes == OUTCOMES
    assert [day.day for day in shown.days][:2] == [TODAY, TODAY - timedelta(days=1)]
    assert len(shown.days) == DAYS
    assert dict(zip(shown.outcomes, shown.days[0].counts, strict=True)) == {
        "approved": 3,
        "revise": 1,
        "rejected": 1,
        "rejected_and_exited": 0,
        "dismissed": 1,
        "auto_approved": 1,
    }
    assert shown.total == 8
    assert (shown.approved, shown.base, shown.rate) == (3, 6, 50)
    assert sum(part.width for part in shown.days[0].parts) == pytest.approx(100, abs=0.1)
    assert shown.days[0].parts[0].start == 0
    assert shown.days[-1].total == 1
    assert not shown.days[1].parts


def test_too_few_decisions_make_no_rate(waiting: Play, manager: User) -> None:
    TelemetryEvent.objects.bulk_create(
        resolved(waiting, "approved", ago=0, seq=900 + n) for n in range(dashboards.FEWEST - 1)
    )
    shown = dashboards.telemetry(caller(manager), today=TODAY)
    assert (shown.base, shown.rate) == (dashboards.FEWEST - 1, None)


def test_figures_of_projects_that_a_person_does_not_manage_stay_out(
    waiting: Play, reviewer: User
) -> None:
    TelemetryEvent.objects.bulk_create([resolved(waiting, "approved", ago=0, seq=900)])
    assert dashboards.telemetry(caller(reviewer), today=TODAY).total == 0
