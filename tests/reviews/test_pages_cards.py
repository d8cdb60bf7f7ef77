"""Pages of cards, the queue, the audit list, telemetry."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from planmode.access.models import Project
from planmode.core.events import QuestionAnswered, Verdict
from tests.desk import allow, answer, approve, every, results
from tests.factories import Play, call, play, submits
from tests.reviews.pages_client import (
    browser,
    html,
    many_questions,
    many_revisions,
    many_sessions,
    text,
)

MOST_QUERIES = 12
ITEMS = [
    {"text": "Which database?", "choices": ["SQLite", "PostgreSQL"]},
    {"text": "Which checks?", "choices": ["ruff", "mypy"], "several": True},
    {"text": "Anything else?"},
]


@pytest.fixture
def asking(operator: User) -> Play:
    asks = {"tool_calls": [call("AskUserQuestion", questions=ITEMS)]}
    return play(operator, [asks, {"text": "Thanks."}]).work()


@pytest.fixture
def writing(operator: User) -> Play:
    writes = {"tool_calls": [call("Write", path="a.py", content="b = 1")]}
    return play(operator, [writes, {"text": "Done."}], plan=False).work()


def question(play: Play) -> str:
    return f"/questions/{play.question.pk}"


def approval(play: Play) -> str:
    return f"/approvals/{play.approval.pk}"


def test_a_question_offers_its_choices(asking: Play, reviewer: User) -> None:
    page = html(browser(reviewer).get(question(asking)))
    assert page.count('type="radio"') == 3  # two choices, and own words
    assert page.count('type="checkbox"') == 2
    assert page.count("<textarea") == 3
    assert " checked" not in page


def test_choices_and_words_become_one_text_each(asking: Play, reviewer: User) -> None:
    sent = {
        "choice-0": "SQLite",
        "choice-1": ["ruff", "mypy"],
        "words-1": "and pytest",
        "words-2": "No\r\nthing",
    }
    client = browser(reviewer)
    assert client.post(f"{question(asking)}/answer", sent)["Location"] == question(asking)
    (said,) = every(asking, QuestionAnswered)
    assert said.answers == ("SQLite", "ruff, mypy, and pytest", "No\nthing")
    page = text(client.get(question(asking)))
    assert "Answered by reviewer" in page
    assert "ruff, mypy, and pytest" in page


@pytest.mark.parametrize(
    "sent",
    [{"words-0": "Neither"}, {"words-0": "Neither", "choice-0": ""}],
    ids=["typed", "chosen"],
)
def test_own_words_answer_a_question(sent: dict[str, str], asking: Play, operator: User) -> None:
    sent = {**sent, "choice-1": "ruff", "words-2": "x"}
    browser(operator).post(f"{question(asking)}/answer", sent)
    assert every(asking, QuestionAnswered)[0].answers[0] == "Neither"


def test_a_choice_and_other_words_are_asked_about(asking: Play, operator: User) -> None:
    sent = {"choice-0": "SQLite", "words-0": "Neither", "choice-1": "ruff", "words-2": "x"}
    response = browser(operator).post(f"{question(asking)}/answer", sent)
    assert response.status_code == 422
    assert text(response).count("You chose an answer and wrote another one.") == 1
    assert 'value="SQLite" checked' in html(response)
    assert "Neither</textarea>" in html(response)
    assert asking.question.status == "open"


def test_own_words_that_say_nothing_are_no_answer(asking: Play, operator: User) -> None:
    sent = {"choice-0": "", "words-0": " \u200b", "choice-1": "ruff", "words-2": "x"}
    response = browser(operator).post(f"{question(asking)}/answer", sent)
    assert response.status_code == 422
    assert text(response).count("Choose an answer, or write one.") == 1


def test_a_question_left_open_comes_back_with_what_was_typed(asking: Play, reviewer: User) -> None:
    sent = {"choice-0": "SQLite", "words-2": "Kept text"}
    response = browser(reviewer).post(f"{question(asking)}/answer", sent)
    assert response.status_code == 422
    assert "Answer every question." in text(response)
    assert text(response).count("Choose an answer, or write one.") == 1
    assert 'value="SQLite" checked' in html(response)
    assert "Kept text</textarea>" in html(response)
    assert asking.question.status == "open"


def test_an_answer_that_is_too_long_comes_back(asking: Play, reviewer: User) -> None:
    sent = {"choice-0": "SQLite", "choice-1": "ruff", "words-2": "x" * 9000}
    response = browser(reviewer).post(f"{question(asking)}/answer", sent)
    assert response.status_code == 422
    assert "over 8192 bytes" in text(response)


def test_who_answers_second_keeps_the_text(asking: Play, reviewer: User, operator: User) -> None:
    answer(asking, operator, "SQLite", "ruff", "No")
    sent = {"choice-0": "PostgreSQL", "choice-1": "mypy", "words-2": "My text"}
    response = browser(reviewer).post(f"{question(asking)}/answer", sent)
    assert response.status_code == 409
    assert "Answered by operator" in text(response)
    assert "My text</textarea>" in html(response)


def test_an_admin_reads_a_question_and_can_not_answer(asking: Play, admin: User) -> None:
    client = browser(admin)
    page = client.get(question(asking))
    assert '<form method="post" action="/questions' not in html(page)
    assert "Answering takes the role" in text(page)
    sent = {"choice-0": "SQLite", "choice-1": "ruff", "words-2": "x"}
    assert client.post(f"{question(asking)}/answer", sent).status_code == 403
    assert asking.question.status == "open"


def test_an_approval_shows_the_whole_call(writing: Play, reviewer: User) -> None:
    page = text(browser(reviewer).get(approval(writing)))
    assert "May the agent use Write?" in page
    assert "b = 1" in page


def test_a_yes_lets_the_call_run(writing: Play, reviewer: User) -> None:
    client = browser(reviewer)
    response = client.post(f"{approval(writing)}/answer", {"allow": "yes"})
    assert response["Location"] == approval(writing)
    assert "Allowed by reviewer" in text(client.get(approval(writing)))
    writing.work()
    assert (writing.workspace / "a.py").read_text(encoding="utf-8") == "b = 1"


def test_a_yes_keeps_its_note_and_says_that_nobody_gets_it(writing: Play, reviewer: User) -> None:
    client = browser(reviewer)
    assert "a yes only keeps it in the log" in text(client.get(approval(writing)))
    client.post(f"{approval(writing)}/answer", {"allow": "yes", "note": "Fine by me"})
    for path in (approval(writing), f"/sessions/{writing.id}"):
        page = text(client.get(path))
        assert "Note (kept in the log, not given to the agent) Fine by me" in page
        assert "Note to the agent" not in page
    writing.work()
    assert "Fine by me" not in results(writing)[0].text


def test_a_no_is_given_with_its_note(writing: Play, operator: User) -> None:
    client = browser(operator)
    client.post(f"{approval(writing)}/answer", {"allow": "no", "note": "Not here"})
    writing.work()
    (result,) = results(writing)
    assert result.verdict is Verdict.REFUSED
    assert "Not here" in result.text
    page = text(client.get(approval(writing)))
    assert "Refused by operator" in page
    assert "Not here" in page
    assert "Refused by operator" in text(client.get(f"/sessions/{writing.id}"))


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        pytest.param({"note": "Kept"}, "Choose whether", id="no choice"),
        pytest.param({"allow": "maybe", "note": "Kept"}, "Choose whether", id="odd choice"),
        pytest.param({"allow": "no", "note": "x" * 9000}, "over 8192 bytes", id="long note"),
    ],
)
def test_an_answer_that_can_not_be_taken_comes_back(
    sent: dict[str, str], problem: str, writing: Play, reviewer: User
) -> None:
    response = browser(reviewer).post(f"{approval(writing)}/answer", sent)
    assert response.status_code == 422
    assert problem in text(response)
    assert f"{sent['note']}</textarea>" in html(response)
    assert writing.approval.status == "open"


def test_who_allows_second_sees_who_was_first(
    writing: Play, reviewer: User, operator: User
) -> None:
    allow(writing, operator, yes=False)
    sent = {"allow": "yes", "note": "My note"}
    response = browser(reviewer).post(f"{approval(writing)}/answer", sent)
    assert response.status_code == 409
    assert "Refused by operator" in text(response)
    assert "My note</textarea>" in html(response)


def test_an_admin_can_not_allow_a_call(writing: Play, admin: User) -> None:
    response = browser(admin).post(f"{approval(writing)}/answer", {"allow": "yes"})
    assert response.status_code == 403
    assert writing.approval.status == "open"


def test_the_queue_lists_what_waits_and_what_was_decided(
    asking: Play, writing: Play, reviewer: User
) -> None:
    client = browser(reviewer)
    page = client.get("/")
    assert "(2) Queue" in text(page)
    assert f'<a href="{question(asking)}" data-row>' in html(page)
    assert "data-live" in html(page)
    answer(asking, reviewer, "SQLite", "ruff", "No")
    assert "(1) Queue" in text(client.get("/"))
    decided = client.get("/?tab=decided")
    assert "Answered" in text(decided)
    assert str(asking.question.pk) in html(decided)


def test_a_managers_queue_has_no_links_and_no_feed(
    asking: Play, manager: User, reviewer: User
) -> None:
    page = html(browser(manager).get("/"))
    assert "Which database?" not in page
    assert "Which database?" in html(browser(reviewer).get("/"))
    assert f"card-{asking.question.pk}" in page
    assert question(asking) not in page
    assert "live-feed" not in page
    assert "Not live: reload to see what is new" in page
    assert "its text is not for your roles" in page


def test_a_waiting_row_says_the_word_and_the_time(asking: Play, reviewer: User) -> None:
    page = browser(reviewer).get("/")
    assert re.search(r"Waiting (now|\d+ \S+ ago)", text(page).partition("Decided")[2])
    assert "not for your roles" not in text(page)
    assert "Not live" not in text(page)


def test_an_empty_queue_says_so(reviewer: User) -> None:
    assert "Nothing is waiting for anybody" in text(browser(reviewer).get("/"))
    assert "Nothing has been decided yet" in text(browser(reviewer).get("/?tab=decided"))


def test_the_rows_come_alone(asking: Play, reviewer: User) -> None:
    part = html(browser(reviewer).get("/queue/rows?tab=open"))
    assert "<html" not in part
    assert part.count("data-card=") == 1


def test_a_second_page_of_the_queue_follows_no_feed(asking: Play, reviewer: User) -> None:
    many_questions(asking, 60)
    client = browser(reviewer)
    first = html(client.get("/"))
    assert first.count("data-card=") == 50
    found = re.search(r'href="(/\?tab=open&amp;start=[^"]+)"', first)
    assert found is not None
    second = html(client.get(found[1].replace("&amp;", "&")))
    assert second.count("data-card=") == 11
    assert "data-live" not in second.partition("<queue-list")[2].partition(">")[0]


def test_the_audit_list_gives_hash_size_people_and_bytes(
    operator: User, reviewer: User, admin: User
) -> None:
    reviewed = play(operator, [submits(), {"text": "Done."}]).work()
    approve(reviewed, reviewer)
    review = reviewed.review
    page = browser(admin).get("/audit")
    assert review.sha256[:12] in text(page)
    assert str(review.size) in text(page)
    assert "agent of operator" in text(page)
    assert "Approved reviewer" in text(page)
    assert f'href="/api/v1/revisions/{review.revision_id}/raw"' in html(page)
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", text(page))


def test_an_audit_list_without_revisions_says_so(admin: User) -> None:
    client = browser(admin)
    assert "No revisions yet" in text(client.get("/audit"))
    assert client.get("/audit?before=x").status_code == 400


def test_telemetry_counts_todays_outcomes(operator: User, reviewer: User, manager: User) -> None:
    client = browser(manager)
    assert "No decisions in this period" in text(client.get("/telemetry"))
    reviewed = play(operator, [submits(), {"text": "Done."}]).work()
    approve(reviewed, reviewer)
    page = client.get("/telemetry")
    assert "1 of 1" in text(page)
    assert "too few" in text(page)
    assert 'class="part part-approved" x="0.00" y="0" width="100.00"' in html(page)


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_lists_take_as_many_queries_at_a_hundred_rows_as_at_one(
    asking: Play, project: Project, operator: User, reviewer: User, admin: User
) -> None:
    reviewed = play(operator, [submits(), {"text": "Done."}]).work()
    approve(reviewed, reviewer)
    client = browser(admin)
    pages = ("/", "/?tab=decided", "/sessions", "/audit")
    few = [queries_of(client, page) for page in pages]
    many_questions(asking, 100)
    many_sessions(project, operator, 100)
    many_revisions(reviewed, 100)
    assert [queries_of(client, page) for page in pages] == few
    assert max(few) <= MOST_QUERIES
