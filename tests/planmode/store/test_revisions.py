"""Revisions: the exact bytes of each submission."""

import hashlib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from uuid6 import uuid7

from planmode import turns
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.errors import (
    DomainError,
    PlanInvalidError,
    PlanTooLargeError,
    PlanUnchangedError,
    RevisionUnknownError,
    StoredDataError,
)
from planmode.models import Claim, Revision, Turn
from planmode.store import blobs, planfiles, revisions
from planmode.turns import Submission
from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests import desk, faults
from tests.factories import Play, play
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db


class Author:
    """Submits as the engine does, and has each review sent back, so that the next can come."""

    def __init__(self, operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session = play(operator, [{"text": "Done."}], plan=False)
        self.reviewer, self.monkeypatch = reviewer, monkeypatch
        self.text = ""
        self.calls = 0

    def do(self, operation: object) -> None:
        match operation:
            case ["enter", str(plan_id)]:
                finished = ev.ToolFinished("c0", "EnterPlanMode", "ok")
                turns.enter_plan_mode(self.claim(), lambda _: finished, plan_id=plan_id)
            case ["file", str(text)]:
                self.text = text
            case "record":
                self.record()
            case "record_expect_error":
                with pytest.raises(StoredDataError):
                    self.submit()
            case "blob_fails":
                self.monkeypatch.setattr(blobs, "store", faults.BrokenStore)
            case "blob_ok":
                self.monkeypatch.undo()
            case _:
                raise AssertionError(operation)

    def claim(self) -> Claim:
        faults.lease_runs_out(self.session)
        turn_id = self.session.turn.pk
        claim = Turn.objects.claim(turn_id, worker="w", lease=timedelta(seconds=9))
        assert claim is not None
        return claim

    def submit(self) -> None:
        claim, self.calls = self.claim(), self.calls + 1
        asked = ev.ModelReplied("", (ToolCall(f"c{self.calls}", "ExitPlanMode"),), "m")
        turns.append(claim, ev.StepStarted(self.calls), asked)
        submission = Submission(f"c{self.calls}", self.text.encode(), ())
        turns.submit_plan(claim, submission)

    def record(self) -> None:
        self.submit()
        desk.decide(self.session, self.reviewer, DecisionKind.REVISE, feedback="again")


@pytest.fixture
def author(operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch) -> Author:
    """Somebody who submits."""
    return Author(operator, reviewer, monkeypatch)


REFUSED: dict[str, type[DomainError]] = {"RN-04": PlanUnchangedError, "RN-11": PlanInvalidError}
"""Rows whose last submission ours refuses: unchanged after a decision, and blank."""


@pytest.mark.parametrize("row", rows("revision"))
def test_revision_rows(row: Row, author: Author) -> None:
    """kimi:R1 R2 R3 R4; of RN-11 the service refuses what in the reference only the tool does.

    kimi:S17.
    """
    *operations, last = row["do"]
    for operation in operations:
        author.do(operation)
    if row["id"] in REFUSED:
        with pytest.raises(REFUSED[row["id"]]):
            author.do(last)
    else:
        author.do(last)
    expect = {**wanted(row), **({"versions": []} if row["id"] == "RN-11" else {})}
    rows_ = Revision.objects.order_by("plan_id", "version")
    assert [[row_.plan_id, row_.version] for row_ in rows_] == expect["versions"]
    for key, text in expect.get("blobs", {}).items():
        plan_id, version = key.split("/v")
        revision = Revision.objects.get(plan_id=plan_id, version=version)
        assert revisions.content(revision).decode() == text
        assert revision.key == f"plan/{plan_id}/v{version}.md"
    if "sha256" in expect:
        assert [(row_.sha256, row_.size) for row_ in rows_] == [(expect["sha256"], expect["bytes"])]


def test_a_revision_is_told_with_key_hash_and_size(author: Author) -> None:
    """kimi:S20."""
    for operation in (["enter", "p"], ["file", "# A"], "record"):
        author.do(operation)
    (event,) = desk.every(author.session, ev.PlanRevisionRecorded)
    assert event.key == "plan/p/v1.md"
    assert event.sha256 == revisions.sha256(b"# A") == hashlib.sha256(b"# A").hexdigest()
    assert event.size == 3


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"", PlanInvalidError, "is empty"),
        (b" \n\t", PlanInvalidError, "is empty"),
        ("\u200b \n".encode(), PlanInvalidError, "is empty"),
        (b"# A\0", PlanInvalidError, "NUL at byte 3"),
        (b"# A\xc3", PlanInvalidError, "not UTF-8 at byte 3"),
        (b"\xed\xa0\x80", PlanInvalidError, "not UTF-8 at byte 0"),
        (b"x" * (planfiles.LARGEST + 1), PlanTooLargeError, "1048577 bytes, the limit is 1048576"),
    ],
)
def test_what_is_no_plan(content: bytes, error: type[DomainError], words: str) -> None:
    with pytest.raises(error, match=words):
        revisions.checked_text(content)


def test_a_plan_may_have_a_whole_mebibyte(author: Author) -> None:
    author.do(["enter", "p"])
    author.text = "x" * planfiles.LARGEST
    author.submit()
    assert Review.objects.get().size == planfiles.LARGEST


def test_a_database_that_takes_no_bytes_opens_no_review(author: Author) -> None:
    """kimi:R4 the other way round: if the revision can't be stored, there is no review."""
    for operation in (["enter", "p"], ["file", "# A"]):
        author.do(operation)
    author.monkeypatch.setattr(blobs, "store", FullDatabase)
    with pytest.raises(StoredDataError, match="disk is full"):
        author.submit()
    assert not Review.objects.exists()
    assert author.session.state.plan.revision_count == {}


class FullDatabase(faults.BrokenStore):
    """A database that can't be written."""

    def put(self, _: bytes, /) -> str:
        raise DatabaseError("database or disk is full")


def test_bytes_of_another_hash_are_not_given_out(author: Author) -> None:
    for operation in (["enter", "p"], ["file", "# A"], "record"):
        author.do(operation)
    revision = Revision.objects.get()
    revision.sha256 = "0" * 64
    with pytest.raises(StoredDataError):
        revisions.content(revision)


def test_a_revision_that_does_not_exist(db: None) -> None:
    with pytest.raises(RevisionUnknownError):
        revisions.find(uuid7())


def test_versions_go_on_after_plan_mode_was_left(author: Author) -> None:
    """kimi:S7 R5."""
    session: Play = author.session
    for operation in (["enter", "p"], ["file", "# A"]):
        author.do(operation)
    author.submit()
    desk.decide(session, author.reviewer, DecisionKind.REJECT_AND_EXIT)
    author.do(["enter", "p"])
    author.do(["file", "# B"])
    author.submit()
    assert session.review.revision_version == 2
