"""The session page: its timeline, and what can be said."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from planmode.access.models import Project
from planmode.core.events import MessagePosted
from planmode.models import Session
from planmode.services import LONGEST_MESSAGE, post_message
from reviews.core.decisions import DecisionKind
from reviews.pages.session import MOST_EVENTS
from tests.desk import approve, decide, every
from tests.factories import PLAN, STOPS_EARLY, Play, call, play, submits
from tests.reviews.pages_client import browser, html, many_sessions, text

MOST_QUERIES = 12


@pytest.fixture
def planning(operator: User) -> Play:
    """A session that was refused a write, keeps a list, and waits for a review."""
    replies = [
        {
            "text": "I look around.",
            "tool_calls": [
                call("Read", path="parser.py"),
                call("Write", path="parser.py", content="value = 2"),
                call("TodoList", items=[{"text": "Plan it", "status": "done"}]),
            ],
        },
        submits(PLAN, "Small", "Large"),
        {"text": "Understood.", "repeat": 2},
    ]
    return play(operator, replies).work()


def path(play: Play) -> str:
    return f"/sessions/{play.id}"


def test_the_timeline_tells_what_happened_and_why(planning: Play, reviewer: User) -> None:
    page = browser(reviewer).get(path(planning))
    said = text(page)
    for part in (
        *("Session started by operator", "Plan mode on", "Tidy the parser", "Turn 1"),
        *("I look around.", "Refused by the guard", "To-do list written: 1 line"),
        *("Reminder: how plan mode works, in full", "To-do list 1/1"),
        *("Revision 1 stored", "Revision 1 submitted for review", "value = 1"),
    ):
        assert part in said, part
    assert html(page).count("line-refused") == 1


def test_the_exit_call_links_to_its_review_open_or_closed(planning: Play, reviewer: User) -> None:
    client = browser(reviewer)
    link = f'<a href="/reviews/{planning.review.pk}" data-review-link>'
    assert link in html(client.get(path(planning)))
    approve(planning, reviewer, option="Small", feedback="Mind it")
    planning.work()
    page = client.get(path(planning))
    assert link in html(page)
    assert "Approved by reviewer, option “Small”" in text(page)
    assert "Plan mode off (Approved), permission mode manual" in text(page)
    assert "Turn 1 ended" in text(page)


def test_beside_stand_the_plan_and_the_list(planning: Play, operator: User, reviewer: User) -> None:
    page = browser(reviewer).get(path(planning))
    assert "As submitted in revision 1" in text(page)
    assert "Plan it" in text(page)
    assert "1/1" in text(page)
    draft = play(operator, [{"tool_calls": [call("Write", path="${plan_file}", content="# D")]}])
    assert "written no plan yet" in text(browser(reviewer).get(path(draft)))
    draft.work()
    assert "Draft, not submitted" in text(browser(reviewer).get(path(draft)))
    off = play(operator, [{"text": "Hi."}], plan=False)
    assert "Plan mode is off" in text(browser(reviewer).get(path(off)))


def test_what_the_turn_waits_for_is_one_click_away(
    planning: Play, operator: User, reviewer: User
) -> None:
    asks = call("AskUserQuestion", questions=[{"text": "Which?", "choices": ["A", "B"]}])
    asking = play(operator, [{"tool_calls": [asks]}]).work()
    writes = {"tool_calls": [call("Write", path="a", content="b")]}
    writing = play(operator, [writes], plan=False).work()
    client = browser(reviewer)
    for waiting, card, words in (
        (planning, f"/reviews/{planning.review.pk}", "Waits for a review"),
        (asking, f"/questions/{asking.question.pk}", "Waits for an answer"),
        (writing, f"/approvals/{writing.approval.pk}", "Waits for a tool approval"),
    ):
        page = client.get(path(waiting))
        assert f'<a class="button main" href="{card}">' in html(page)
        assert words in text(page)


def test_answers_and_questions_are_on_the_timeline(operator: User, reviewer: User) -> None:
    asks = call("AskUserQuestion", questions=[{"text": "Which way?"}])
    asking = play(operator, [{"tool_calls": [asks]}, STOPS_EARLY]).work()
    client = browser(reviewer)
    client.post(f"/questions/{asking.question.pk}/answer", {"words-0": "That way"})
    asking.work()
    said = text(client.get(path(asking)))
    assert "The agent asks" in said
    assert "Answered by reviewer" in said
    assert "That way" in said


def test_a_failed_turn_says_why(operator: User, reviewer: User) -> None:
    failed = play(operator, [submits()]).work()
    approve(failed, reviewer)
    failed.work()
    said = text(browser(operator).get(path(failed)))
    assert "The turn failed: the script has no reply left" in said
    assert "Retry lets it go on. A new message starts another turn." in said
    assert "A new message" not in text(browser(reviewer).get(path(failed)))


def test_a_stopped_turn_says_why_in_words(planning: Play, reviewer: User) -> None:
    decide(planning, reviewer, DecisionKind.REJECT)
    planning.work()
    said = text(browser(reviewer).get(path(planning)))
    assert "Stopped Turn 1 ended: the plan was rejected" in said


def test_only_the_owner_writes_and_interrupts(
    planning: Play, reviewer: User, operator: User, admin: User
) -> None:
    assert "composer-text" not in html(browser(reviewer).get(path(planning)))
    assert "Interrupt" not in text(browser(reviewer).get(path(planning)))
    assert "composer-text" not in html(browser(admin).get(path(planning)))
    assert "Interrupt" in text(browser(admin).get(path(planning)))
    assert "composer-text" in html(browser(operator).get(path(planning)))
    answer = browser(reviewer).post(f"{path(planning)}/messages", {"text": "My text"})
    assert answer.status_code == 403
    assert browser(reviewer).post(f"{path(planning)}/cancel").status_code == 403
    assert planning.turn.state == "waiting"
    assert len(every(planning, MessagePosted)) == 1


def test_the_composer_says_what_will_happen(planning: Play, operator: User) -> None:
    client = browser(operator)
    assert "together with the answer" in text(client.get(path(planning)))
    fresh = play(operator, [STOPS_EARLY])
    assert "at its next step" in text(client.get(path(fresh)))
    fresh.work()
    assert "starts a new turn" in text(client.get(path(fresh)))


def test_a_message_is_posted_as_it_was_typed(planning: Play, operator: User) -> None:
    answer = browser(operator).post(f"{path(planning)}/messages", {"text": "One\r\ntwo"})
    assert answer["Location"] == f"{path(planning)}#end"
    assert every(planning, MessagePosted)[-1].text == "One\ntwo"
    assert planning.review.status == "open"


@pytest.mark.parametrize("message", [" \n ", "x" * (LONGEST_MESSAGE + 1)])
def test_a_message_that_can_not_be_taken_comes_back(
    message: str, planning: Play, operator: User
) -> None:
    answer = browser(operator).post(f"{path(planning)}/messages", {"text": message})
    assert answer.status_code == 422
    assert f"{message}</textarea>" in html(answer)
    assert "data-focus" in html(answer)
    assert len(every(planning, MessagePosted)) == 1


def test_an_interrupt_ends_the_turn_once(planning: Play, operator: User) -> None:
    client = browser(operator)
    assert "state-waiting" in html(client.get(path(planning)))
    assert client.post(f"{path(planning)}/cancel")["Location"] == f"{path(planning)}#end"
    assert planning.turn.state == "cancelled"
    page = html(client.get(path(planning)))
    assert "state-waiting" not in page
    assert "state-due" not in page
    again = client.post(f"{path(planning)}/cancel")
    assert again.status_code == 409
    assert "not at work" in text(again)


def test_a_fragment_holds_only_what_changed(planning: Play, reviewer: User) -> None:
    client = browser(reviewer)
    seq = Session.objects.get(pk=planning.id).seq
    approve(planning, reviewer, option="Small")
    planning.work()
    part = html(client.get(f"{path(planning)}/timeline?after={seq}"))
    assert "<html" not in part
    assert "I look around." not in part
    assert 'data-line="decision"' in part
    # The exit call was there before; its line changed, and keeps its arguments.
    assert part.count('data-line="call"') == 1
    assert "&quot;label&quot;: &quot;Small&quot;" in part
    assert f'data-seq="{Session.objects.get(pk=planning.id).seq}"' in part
    empty = html(client.get(f"{path(planning)}/timeline?after=100000"))
    assert 'data-seq="100000"' in empty
    assert "data-line" not in empty


def test_an_interrupt_reaches_the_lines_of_open_calls(planning: Play, operator: User) -> None:
    client = browser(operator)
    seq = Session.objects.get(pk=planning.id).seq
    client.post(f"{path(planning)}/cancel")
    part = html(client.get(f"{path(planning)}/timeline?after={seq}"))
    assert part.count('data-line="call"') == 1
    assert "state-cancelled" in part.partition('data-line="call"')[2].partition("</summary>")[0]


def test_a_long_log_comes_in_stretches(operator: User, reviewer: User) -> None:
    long = play(operator, [{"text": "Done."}])
    for number in range(MOST_EVENTS):
        post_message(long.id, f"Message {number}.", author=operator)
    client = browser(reviewer)
    newest = client.get(path(long))
    assert "Session started" not in text(newest)
    assert f"Message {MOST_EVENTS - 1}." in text(newest)
    before = html(newest).partition('data-before="')[2].partition('"')[0]
    for address in (f"{path(long)}/timeline?before={before}", f"{path(long)}?before={before}"):
        older = text(client.get(address))
        assert "Session started" in older
        assert f"Message {MOST_EVENTS - 1}." not in older
    assert "live-feed" not in html(client.get(f"{path(long)}?before={before}"))


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", "?before=1" + "0" * 30])
def test_odd_places_of_the_log_are_refused(query: str, planning: Play, reviewer: User) -> None:
    assert browser(reviewer).get(f"{path(planning)}{query}").status_code == 400


def test_the_parts_beside_the_timeline_come_alone(planning: Play, reviewer: User) -> None:
    part = html(browser(reviewer).get(f"{path(planning)}/state"))
    assert "<html" not in part
    for name in ("facts", "standing", "beside", "hint"):
        assert part.count(f'data-region="{name}"') == 1


def test_the_list_shows_sessions_newest_first(planning: Play, operator: User) -> None:
    other = play(operator, [{"text": "Done."}], prompt="Another prompt", plan=False)
    page = html(browser(operator).get("/sessions"))
    assert page.index(str(other.id)) < page.index(str(planning.id))
    assert "plan mode" in page


def test_the_list_comes_in_pages(planning: Play, project: Project, operator: User) -> None:
    many_sessions(project, operator, 60)
    client = browser(operator)
    first = html(client.get("/sessions"))
    assert first.count("data-session=") == 50
    more = first.partition("?before=")[2].partition('"')[0]
    assert html(client.get(f"/sessions?before={more}")).count("data-session=") == 11
    assert client.get("/sessions?before=x").status_code == 400


def test_an_installation_without_sessions_says_how_to_start(reviewer: User) -> None:
    assert "manage.py run_session" in text(browser(reviewer).get("/sessions"))


@pytest.fixture
def wordy(operator: User) -> Play:
    """A session that said, wrote and read more than the timeline shows."""
    long = {
        "text": f"{'say ' * 1500}said",
        "tool_calls": [
            call("Read", path="parser.py"),
            call("Read", path="parser.py", note=f"{'ask ' * 1500}asked"),
        ],
    }
    session = play(operator, [long, {"text": "Done."}], prompt=f"{'do ' * 2000}done", plan=False)
    (session.workspace / "parser.py").write_text(f"{'data ' * 300}\n" * 10, encoding="utf-8")
    return session.work()


def test_long_texts_are_cut_and_a_line_of_their_own_shows_all(wordy: Play, reviewer: User) -> None:
    client = browser(reviewer)
    timeline = html(client.get(path(wordy))).partition("data-timeline")[2]
    links = re.findall(r'href="(/sessions/[^"]+/lines/[^"]+)"', timeline)
    assert len(timeline) < 5 * 4000 + 15_000
    assert "Show all 6,004 characters" in timeline
    whole = {link: html(client.get(link)) for link in links}
    for word, times in {"do ": 2000, "say ": 1500, "ask ": 1500, "data ": 3000}.items():
        assert timeline.count(word) < times
        assert any(page.count(word) >= times for page in whole.values()), word
    assert not any("Show all" in page for page in whole.values())


@pytest.mark.parametrize("key", ["e0", "e999", "e2-7", "x", "e", "e1-", "e" + "9" * 30])
def test_lines_that_the_log_does_not_have(key: str, planning: Play, reviewer: User) -> None:
    assert browser(reviewer).get(f"{path(planning)}/lines/{key}").status_code == 404


def test_a_line_is_read_by_those_who_read_the_session(
    wordy: Play, manager: User, operator: User
) -> None:
    assert browser(manager).get(f"{path(wordy)}/lines/e1").status_code == 403
    assert browser(operator).get(f"{path(wordy)}/lines/e1").status_code == 200


def test_tool_output_is_shown_and_never_obeyed(operator: User, reviewer: User) -> None:
    odd = play(operator, [{"text": "<script>x</script>", "tool_calls": [call("<b>N</b>")]}])
    (odd.workspace / "evil.txt").write_text("<img src=x>", encoding="utf-8")
    page = html(browser(reviewer).get(path(odd.work())))
    assert "<script>x" not in page
    assert "<b>N" not in page
    assert "&lt;script&gt;x" in page


def test_a_page_takes_a_bounded_number_of_queries(planning: Play, reviewer: User) -> None:
    decide(planning, reviewer, DecisionKind.REVISE, feedback="More")
    planning.work()
    client = browser(reviewer)
    for page in ("", "/state", "/timeline?after=3"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"{path(planning)}{page}").status_code == 200
        assert len(queries) <= MOST_QUERIES
