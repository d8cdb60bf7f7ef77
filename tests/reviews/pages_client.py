"""What a browser does with the pages, as tests say it."""

import re
from typing import Protocol
from uuid import UUID

from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Project
from planmode.models import Revision, Session
from reviews.models import Question, Review
from tests.factories import Play

TEXT = re.compile(r"<[^>]+>")


class Answer(Protocol):
    """What came back from the server."""

    status_code: int

    @property
    def content(self) -> bytes:
        """The body."""

    def __getitem__(self, header: str, /) -> str:
        """Return a header."""


def browser(user: User) -> Client:
    """Return a browser in which ``user`` is logged in."""
    client = Client()
    client.force_login(user)
    return client


def text(response: Answer) -> str:
    """Return what a page says, without its markup, in one line."""
    return " ".join(TEXT.sub(" ", response.content.decode()).split())


def html(response: Answer) -> str:
    """Return a page's markup."""
    return response.content.decode()


def decides(client: Client, play: Play, decision: str, **fields: str) -> Answer:
    """Send a sheet as a form of the newest review's page."""
    review = play.review
    sent = {"decision": decision, "sha256": review.sha256, **fields}
    return client.post(f"/reviews/{review.pk}/decision", sent)


def many_questions(play: Play, count: int) -> None:
    """Copy the newest question ``count`` times."""
    first = play.question
    Question.objects.bulk_create(
        Question(
            id=UUID(int=number + 1),
            session_id=play.id,
            project_id=first.project_id,
            call_id=f"call-{number}",
            title=f"Question {number}",
            opened_at=first.opened_at,
            items=first.items,
        )
        for number in range(count)
    )


def many_sessions(project: Project, owner: User, count: int) -> None:
    """Write ``count`` sessions without a log."""
    Session.objects.bulk_create(
        Session(project=project, owner=owner, title=f"Session {number}", model="scripted:x")
        for number in range(count)
    )


def many_revisions(play: Play, count: int) -> None:
    """Write ``count`` revisions of another plan, each with its closed review."""
    first = play.review
    for version in range(1, count + 1):
        revision = Revision.objects.create(
            session_id=play.id,
            plan_id="other-plan-here",
            version=version,
            key=f"plan/other-plan-here/v{version}.md",
            sha256=f"{version:064x}",
            size=version,
            title=f"Other {version}",
            created_at=first.opened_at,
        )
        Review.objects.create(
            id=UUID(int=version),
            session_id=play.id,
            project_id=first.project_id,
            call_id="",
            title=revision.title,
            status=Review.Status.WITHDRAWN,
            opened_at=first.opened_at,
            closed_at=first.opened_at,
            revision_id=revision.pk,
            plan_id=revision.plan_id,
            revision_version=version,
            sha256=revision.sha256,
            size=version,
        )
