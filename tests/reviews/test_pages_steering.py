"""What an operator does to a session from its page."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from planmode.access.models import Project
from planmode.core import commands
from planmode.core import events as ev
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.models import BackgroundTask, Schedule, Session
from reviews.core.decisions import DecisionKind
from reviews.pages import session, starting
from reviews.pages.steering import PLAN_MODE
from reviews.templatetags.desk import MODES, PHASES
from tests.desk import approve, decide, every
from tests.factories import PLAN, STOPS_EARLY, Play, call, play, submits
from tests.reviews.pages_client import browser, html, text

READS = {"tool_calls": [call("Read", path="parser.py")]}
MOST_QUERIES = 12
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def planning(operator: User) -> Play:
    """A session that waits for a review."""
    return play(operator, [submits(PLAN), {"text": "Understood."}, {"text": "Yes."}]).work()


@pytest.fixture
def revising(planning: Play, reviewer: User) -> Play:
    """A session whose plan was sent back."""
    decide(planning, reviewer, DecisionKind.REVISE, feedback="shorter")
    return planning


@pytest.fixture
def idle(operator: User) -> Play:
    """A session outside of plan mode whose turn is done."""
    return play(operator, [{"text": "Hello."}, {"text": "Yes."}], plan=False).work()


def path(play: Play) -> str:
    return f"/sessions/{play.id}"


def says(play: Play, who: User, words: str, **fields: object) -> str:
    """Return what the page says after ``words`` were sent, wherever that led."""
    sent = {"text": words, **fields}
    return text(browser(who).post(f"{path(play)}/messages", sent, follow=True))


def test_the_tables_of_words_are_total() -> None:
    assert tuple(command.form for command in session.COMMANDS) == commands.COMMANDS
    assert set(starting.PRESETS) == set(PRESETS)
    assert set(MODES) == set(PermissionMode)
    assert set(PHASES) == {"planning", "executing", "idle"}
    assert len(PLAN_MODE) == 8


# Commands


def test_a_command_is_done_and_answered(idle: Play, operator: User) -> None:
    """dsh:D-20: each command says what became of it."""
    assert "Plan mode is on." in says(idle, operator, "/plan")
    assert idle.state.plan.active
    assert "Plan mode is off." in says(idle, operator, "/plan off")
    assert "The permission mode is yolo." in says(idle, operator, "/mode yolo")
    assert idle.state.permission_mode is PermissionMode.YOLO
    assert len(every(idle, ev.MessagePosted)) == 1


def test_plan_with_a_text_begins_a_turn(idle: Play, operator: User) -> None:
    """dsh:D-19: what stands behind the command is sent."""
    says(idle, operator, "/plan Split the parser")
    assert idle.state.plan.active
    assert every(idle, ev.MessagePosted)[-1].text == "Split the parser"


def test_a_command_that_is_none_comes_back_as_it_was_typed(idle: Play, operator: User) -> None:
    answer = browser(operator).post(f"{path(idle)}/messages", {"text": "/paln it"})
    assert answer.status_code == 422
    assert "there is no command /paln" in text(answer)
    assert "/paln it</textarea>" in html(answer)


def test_the_page_lists_the_commands(idle: Play, operator: User) -> None:
    page = text(browser(operator).get(path(idle)))
    for form in commands.COMMANDS:
        assert form in page


def test_a_file_goes_with_a_message(idle: Play, operator: User) -> None:
    """dsh:D-21: files stand on the timeline, with what they are."""
    file = SimpleUploadedFile("screen.png", PNG, "image/png")
    page = says(idle, operator, "See this", files=[file])
    (attached,) = every(idle, ev.MessagePosted)[-1].attachments
    assert (attached.name, attached.media_type) == ("screen.png", "image/png")
    assert "screen.png image/png" in page


def test_leaving_takes_no_files_and_the_draft_is_kept(planning: Play, operator: User) -> None:
    """dsh:D-21: `/plan off` with a file is refused, nothing happens, the text comes back."""
    file = SimpleUploadedFile("screen.png", PNG, "image/png")
    sent = {"text": "/plan off", "files": [file]}
    answer = browser(operator).post(f"{path(planning)}/messages", sent)
    assert answer.status_code == 422
    assert "takes no attachments" in text(answer)
    assert "/plan off</textarea>" in html(answer)
    assert "files have to be chosen again" in text(answer)
    assert planning.state.wanted.active is None


def test_a_file_of_no_known_type_is_refused(idle: Play, operator: User) -> None:
    file = SimpleUploadedFile("a.bin", b"\xff\0\xfe", "application/octet-stream")
    page = says(idle, operator, "Look", files=[file])
    assert "a.bin is of no known type" in page


# Choices


def test_a_choice_during_a_turn_waits_and_its_opposite_takes_it_back(
    planning: Play, operator: User
) -> None:
    """dsh:D-06, complaints:K-44: pending is shown, with a button that is the opposite."""
    client = browser(operator)
    client.post(f"{path(planning)}/plan-mode", {"active": "no"})
    page = client.get(path(planning))
    assert "Leaves plan mode at the next step" in text(page)
    assert 'name="active" value="yes"' in html(page)
    answer = client.post(f"{path(planning)}/plan-mode", {"active": "yes"}, follow=True)
    assert "Plan mode stays on." in text(answer)
    assert "at the next step" not in text(client.get(path(planning))).replace("your text", "")


def test_entering_during_a_turn_waits_too(operator: User) -> None:
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}
    acting = play(operator, [asks], plan=False).work()
    client = browser(operator)
    client.post(f"{path(acting)}/plan-mode", {"active": "yes"})
    assert "Planning from the next step" in text(client.get(path(acting)))
    assert "Executing" in text(client.get(path(acting)))


def test_a_permission_mode_waits_and_can_be_taken_back(planning: Play, operator: User) -> None:
    client = browser(operator)
    chosen = client.post(f"{path(planning)}/permission-mode", {"mode": "yolo"}, follow=True)
    assert "The permission mode is yolo from the agent" in text(chosen)
    assert "Permission mode yolo from the next step" in text(client.get(path(planning)))
    back = client.post(f"{path(planning)}/permission-mode", {"mode": "manual"}, follow=True)
    assert "The permission mode stays manual." in text(back)


def test_choices_are_made_at_once_where_no_turn_is_open(idle: Play, operator: User) -> None:
    client = browser(operator)
    page = client.get(path(idle))
    assert "Idle" in text(page)
    for name in PermissionMode:
        assert f'<option value="{name}"' in html(page)
    on = client.post(f"{path(idle)}/plan-mode", {"active": "yes"}, follow=True)
    assert "Plan mode is on." in text(on)
    mode = client.post(f"{path(idle)}/permission-mode", {"mode": "yolo"}, follow=True)
    assert "The permission mode is yolo." in text(mode)


def test_a_mode_that_is_off_here_is_refused_with_the_reason(
    idle: Play, operator: User, settings: Settings
) -> None:
    settings.AUTO_MODE = False
    answer = browser(operator).post(f"{path(idle)}/permission-mode", {"mode": "auto"})
    assert answer.status_code == 409
    assert "auto is off in this installation" in text(answer)


def test_the_page_says_which_mode_counts_and_why(
    project: Project, operator: User, settings: Settings
) -> None:
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    acting = play(operator, [{"text": "Hi."}], plan=False, permission_mode="auto").work()
    assert "counts" not in text(browser(operator).get(path(acting)))
    settings.AUTO_MODE = False
    assert "Now manual counts: permission mode auto is off" in text(
        browser(operator).get(path(acting))
    )


@pytest.mark.parametrize(
    ("form", "sent"),
    [
        ("plan-mode", {"active": "maybe"}),
        ("permission-mode", {"mode": "root"}),
        ("tasks/stop", {"number": "x"}),
        ("undo", {}),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(
    form: str, sent: dict[str, str], idle: Play, operator: User
) -> None:
    assert browser(operator).post(f"{path(idle)}/{form}", sent).status_code == 400


# Retry


def test_a_failed_turn_is_tried_again(operator: User) -> None:
    failed = play(operator, [READS], plan=False).work()
    client = browser(operator)
    assert f'formaction="{path(failed)}/retry"' in html(client.get(path(failed)))
    answer = client.post(f"{path(failed)}/retry", follow=True)
    assert "goes on where it stopped" in text(answer)
    assert failed.turn.state == "queued"


def test_a_halted_turn_says_what_it_needs(operator: User) -> None:
    halted = play(operator, [STOPS_EARLY]).work()
    page = browser(operator).get(path(halted))
    assert "Stopped, needs you: it stopped without a submission" in text(page)
    assert f'formaction="{path(halted)}/retry"' in html(page)


def test_what_ended_well_is_not_tried_again(idle: Play, operator: User) -> None:
    client = browser(operator)
    assert "/retry" not in html(client.get(path(idle)))
    answer = client.post(f"{path(idle)}/retry")
    assert answer.status_code == 409
    assert "came to its own end" in text(answer)


# The working plan


def base(page: str) -> str:
    return page.partition('name="base" value="')[2].partition('"')[0]


def test_the_draft_is_edited_against_what_was_read(revising: Play, operator: User) -> None:
    client = browser(operator)
    form = html(client.get(f"{path(revising)}/plan"))
    assert "2. Split it" in form
    sent = {"content": "# Mine\r\n\r\n1. One\r\n", "base": base(form)}
    answer = client.post(f"{path(revising)}/plan", sent, follow=True)
    assert "The plan is saved" in text(answer)
    assert "Last edited by operator" in text(answer)
    assert "Draft, not submitted" in text(answer)
    assert "Plan edited by operator" in text(answer)
    assert every(revising, ev.PlanFileWritten)[-1].by == operator.pk
    assert "# Mine\n\n1. One\n" in html(client.get(f"{path(revising)}/plan"))


def test_an_edited_draft_costs_no_further_query(revising: Play, operator: User) -> None:
    client = browser(operator)
    old = base(html(client.get(f"{path(revising)}/plan")))
    client.post(f"{path(revising)}/plan", {"content": "# Mine\n", "base": old})
    client.get(path(revising))  # it says once what became of the edit
    with CaptureQueriesContext(connection) as queries:
        assert "Last edited by operator" in text(client.get(path(revising)))
    assert len(queries) <= MOST_QUERIES


def test_a_conflict_shows_both_texts_and_loses_none(revising: Play, operator: User) -> None:
    client = browser(operator)
    old = base(html(client.get(f"{path(revising)}/plan")))
    client.post(f"{path(revising)}/plan", {"content": "# Theirs\n", "base": old})
    answer = client.post(f"{path(revising)}/plan", {"content": "# Mine\n", "base": old})
    assert answer.status_code == 409
    assert "The plan has changed since you read it" in text(answer)
    assert "# Theirs" in text(answer)
    assert "# Mine\n</textarea>" in html(answer)
    again = {"content": "# Mine\n", "base": base(html(answer))}
    assert client.post(f"{path(revising)}/plan", again).status_code == 302


def test_a_plan_under_review_is_not_edited_and_no_text_is_lost(
    planning: Play, operator: User
) -> None:
    client = browser(operator)
    form = client.get(f"{path(planning)}/plan")
    assert "revision 1 is under review: ask for changes first" in text(form)
    sent = {"content": "# Mine\n", "base": base(html(form))}
    answer = client.post(f"{path(planning)}/plan", sent)
    assert answer.status_code == 409
    assert "revision 1 is under review: ask for changes first" in text(answer)
    assert "# Mine\n</textarea>" in html(answer)
    assert client.post(f"{path(planning)}/plan/clear").status_code == 409
    assert len(every(planning, ev.PlanFileWritten)) == 1


def test_a_plan_that_can_not_be_kept_comes_back(planning: Play, operator: User) -> None:
    client = browser(operator)
    old = base(html(client.get(f"{path(planning)}/plan")))
    answer = client.post(f"{path(planning)}/plan", {"content": "a\0b", "base": old})
    assert answer.status_code == 422
    assert len(every(planning, ev.PlanFileWritten)) == 1


def test_there_is_no_draft_to_edit_outside_of_plan_mode(idle: Play, operator: User) -> None:
    client = browser(operator)
    assert "Edit the plan" not in text(client.get(path(idle)))
    answer = client.get(f"{path(idle)}/plan")
    assert answer.status_code == 409
    assert "there is no working plan" in text(answer)
    sent = client.post(f"{path(idle)}/plan", {"content": "# Mine\n", "base": "0" * 64})
    assert sent.status_code == 409
    assert "# Mine\n</textarea>" in html(sent)


def test_the_draft_is_cleared(revising: Play, operator: User) -> None:
    """kimi:S14: the working plan is empty, and plan mode stays on."""
    client = browser(operator)
    answer = client.post(f"{path(revising)}/plan/clear", follow=True)
    assert "The plan is empty now." in text(answer)
    assert "written no plan yet" in text(answer)
    assert revising.state.plan.active
    again = client.post(f"{path(revising)}/plan/clear", follow=True)
    assert "There was no plan to clear." in text(again)


# Going back


def second(play: Play) -> int:
    """Return the number of the second message, which began a turn."""
    numbers = Session.objects.get(pk=play.id).records.filter(name="message.posted")
    return int(numbers.order_by("seq")[1].seq)


def test_a_message_is_taken_back_and_can_be_said_otherwise(idle: Play, operator: User) -> None:
    says(idle, operator, "Say yes")
    idle.work()
    client = browser(operator)
    seq = second(idle)
    page = html(client.get(path(idle)))
    assert f'href="{path(idle)}/back/{seq}"' in page
    ask = client.get(f"{path(idle)}/back/{seq}")
    assert "Say yes" in text(ask)
    assert "Files of the workspace stay as they are" in text(ask)
    answer = client.post(f"{path(idle)}/undo", {"to": seq})
    assert answer["Location"] == f"{path(idle)}?again={seq}#end"
    after = client.get(answer["Location"])
    assert "Say yes</textarea>" in html(after)
    assert "Taken back by operator" in text(after)
    assert html(after).count("line-taken-back") >= 3
    assert f"/back/{seq}" not in html(after)


def test_a_failure_that_was_taken_back_is_no_news(operator: User) -> None:
    """Found here: the page went on to say in red that the turn failed."""
    failed = play(operator, [READS], plan=False).work()
    client = browser(operator)
    assert "The turn failed" in text(client.get(path(failed)))
    client.post(f"{path(failed)}/undo", {"to": "2"})
    for address in (path(failed), "/sessions"):
        page = client.get(address, follow=True)
        assert "state-taken_back" in html(page)
        assert "The turn failed" not in text(page)
    assert "/retry" not in html(client.get(path(failed)))
    assert "this turn was taken back" in text(client.post(f"{path(failed)}/retry"))


def test_what_can_not_be_taken_back_says_why(planning: Play, operator: User) -> None:
    client = browser(operator)
    refused = client.post(f"{path(planning)}/undo", {"to": "3"})
    assert refused.status_code == 409
    assert "interrupt it first" in text(refused)
    assert client.get(f"{path(planning)}/back/1").status_code == 404
    assert client.get(f"{path(planning)}/back/900").status_code == 404


def test_a_fork_is_a_session_of_its_own_that_leads_back(idle: Play, operator: User) -> None:
    client = browser(operator)
    answer = client.post(f"{path(idle)}/fork", {"at": "1"}, follow=True)
    copy = Session.objects.latest("created_at")
    assert copy.pk != idle.id
    assert answer.redirect_chain[-1][0] == f"/sessions/{copy.pk}"
    assert "This is the new session" in text(answer)
    assert "Forked from" in text(answer)
    assert f'href="{path(idle)}"' in html(answer)
    whole = client.post(f"{path(idle)}/fork", {"at": ""}, follow=True)
    assert "Hello." in text(whole)
    assert "Undo to here" not in text(whole)


def test_a_fork_is_refused_while_the_agent_works(operator: User) -> None:
    fresh = play(operator, [{"text": "Hi."}], plan=False)
    answer = browser(operator).post(f"{path(fresh)}/fork", {})
    assert answer.status_code == 409
    assert "the agent is at work" in text(answer)


# Tasks and schedules


def test_schedules_are_shown_and_deleted(operator: User) -> None:
    makes = call("CronCreate", cron="0 9 * * 1", prompt="Look at the parser")
    acting = play(
        operator, [{"tool_calls": [makes]}, {"text": "Done."}], plan=False, permission_mode="yolo"
    ).work()
    client = browser(operator)
    page = text(client.get(path(acting)))
    assert "0 9 * * 1" in page
    assert "Look at the parser" in page
    number = Schedule.objects.get().number
    gone = client.post(f"{path(acting)}/schedules/delete", {"number": number}, follow=True)
    assert f"Schedule {number} is deleted." in text(gone)
    assert "Scheduled prompts" not in text(client.get(path(acting)))
    assert client.post(f"{path(acting)}/schedules/delete", {"number": 9}).status_code == 409


def test_background_tasks_are_shown_with_how_they_stand(idle: Play, operator: User) -> None:
    now = timezone.now()
    task = BackgroundTask.objects.create(
        session_id=idle.id,
        number=1,
        command="sleep 5",
        sandboxed=True,
        limit_s=9,
        state="lost",
        started_at=now,
        ended_at=now,
    )
    page = text(browser(operator).get(path(idle)))
    assert "Lost 1." in page
    assert "sleep 5" in page
    stopped = browser(operator).post(
        f"{path(idle)}/tasks/stop", {"number": task.number}, follow=True
    )
    assert "Background task 1 has ended." in text(stopped)


# Rights


FORMS: list[tuple[str, dict[str, str]]] = [
    ("messages", {"text": "Hello"}),
    ("messages", {"text": "/plan off"}),
    ("cancel", {}),
    ("retry", {}),
    ("plan-mode", {"active": "no"}),
    ("permission-mode", {"mode": "yolo"}),
    ("plan/clear", {}),
    ("tasks/stop", {"number": "1"}),
    ("schedules/delete", {"number": "1"}),
    ("undo", {"to": "3"}),
    ("fork", {}),
]
ENDS = {"cancel", "tasks/stop", "schedules/delete"}
"""What an admin may do, too."""


@pytest.mark.parametrize(("form", "sent"), FORMS)
def test_only_the_owner_steers(  # noqa: PLR0913, PLR0917 - the people
    form: str,
    sent: dict[str, str],
    planning: Play,
    reviewer: User,
    manager: User,
    admin: User,
    stranger: User,
) -> None:
    for who, status in ((reviewer, 403), (manager, 403), (stranger, 404)):
        assert browser(who).post(f"{path(planning)}/{form}", sent).status_code == status
    by_admin = browser(admin).post(f"{path(planning)}/{form}", sent).status_code
    assert (by_admin == 403) == (form not in ENDS)


def test_only_the_owner_sees_what_steers(planning: Play, reviewer: User, operator: User) -> None:
    page = html(browser(reviewer).get(path(planning)))
    for part in ("/plan-mode", "/permission-mode", "/fork", "/back/", "Edit the plan", "/retry"):
        assert part not in page
    assert browser(reviewer).get(f"{path(planning)}/plan").status_code == 403
    assert browser(reviewer).get(f"{path(planning)}/back/3").status_code == 403
    assert browser(reviewer).post(f"{path(planning)}/plan", {}).status_code == 403
    assert "Edit the plan" in html(browser(operator).get(path(planning)))


def test_an_approval_shows_the_agent_at_work(
    planning: Play, operator: User, reviewer: User
) -> None:
    approve(planning, reviewer)
    assert "Executing" in text(browser(operator).get(path(planning)))
