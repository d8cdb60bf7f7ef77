"""The review page: what it shows, and what each form does or says."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from planmode.access.models import Project, Role
from planmode.models import Blob
from reviews.core.decisions import LONGEST_FEEDBACK, DecisionKind
from reviews.models import DecisionRecord, Review
from tests.conftest import member
from tests.desk import approve, decide
from tests.factories import PLAN, Play, call, play, submits
from tests.reviews.pages_client import Answer, browser, decides, html, text

CHANGED = PLAN.replace("2. Split it", "2. Split it\n3. Test it")
MOST_QUERIES = 14
on_sqlite = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="damages rows in the way that SQLite allows"
)


@pytest.fixture
def waiting(operator: User) -> Play:
    replies = [submits(PLAN, "Small", "Large"), submits(CHANGED), {"text": "Understood."}]
    return play(operator, replies).work()


@pytest.fixture
def revised(waiting: Play, reviewer: User) -> Play:
    """The plan was sent back once, and waits in its second revision, which offers no options."""
    decide(waiting, reviewer, DecisionKind.REVISE, feedback="Test it")
    return waiting.work()


def step_of(page: Answer) -> str:
    """Return the markup of the sheet that stands on the page."""
    return html(page).partition('id="step"')[2].partition("</section>")[0]


def path(play: Play) -> str:
    return f"/reviews/{play.review.pk}"


def test_an_open_review_shows_the_plan_and_what_can_be_done(waiting: Play, reviewer: User) -> None:
    """case:C048, kimi:V13."""
    page = browser(reviewer).get(path(waiting))
    said = text(page)
    for part in ("Tidy the parser", "revision 1 of 1", waiting.review.sha256[:12], "own words"):
        assert part in said
    for button in ("Approve…", "Request changes…", "Reject…", "Reject and exit…", "Dismiss…"):
        assert button in said
    assert "<li>Read parser.py</li>" in html(page)
    assert f'href="/sessions/{waiting.id}"' in html(page)
    assert "data-after=" in html(page)


def test_a_plan_that_can_t_be_rejected_is_not_offered_for_it(
    operator: User, reviewer: User, project: Project
) -> None:
    """dsh:D-24 D-27: three answers, and the one without a decision says who waits for whom."""
    Project.objects.filter(pk=project.pk).update(plan_section="Look first.")
    hands_over = {"tool_calls": [call("ExitPlanMode", plan=PLAN)]}
    waiting = play(operator, [hands_over, {"text": "Understood."}], preset="dsh").work()
    page = browser(reviewer).get(path(waiting))
    buttons = re.findall(r'name="decide" value="(\w+)"', html(page))
    assert buttons == ["approve", "revise", "dismiss"]
    assert "The agent stops, stays in plan mode and waits for a message." in text(page)
    asked = browser(reviewer).get(f"{path(waiting)}?decide=reject")
    assert "Reviews of this agent take no such decision." in text(asked)
    refused = decides(browser(reviewer), waiting, "reject", reason="No")
    assert refused.status_code == 422
    assert "take no reject" in text(refused)


def test_nothing_is_chosen_beforehand(waiting: Play, reviewer: User) -> None:
    """case:C048."""
    page = html(browser(reviewer).get(path(waiting)))
    assert page.count('type="radio"') == 4
    assert "radio" in page
    assert 'value="Small" id="option-1"' in page
    chosen = [tag for tag in page.split("<input")[1:] if "checked" in tag.partition(">")[0]]
    assert all('name="start"' in tag for tag in chosen)


def test_a_single_option_is_shown_and_not_asked_for(operator: User, reviewer: User) -> None:
    one = play(operator, [submits(PLAN, "Only way"), {"text": "Done."}]).work()
    page = browser(reviewer).get(path(one))
    assert "Only way" in text(page)
    assert 'type="radio"' not in html(page)
    assert decides(browser(reviewer), one, "approve", start="yes").status_code == 302


def test_the_source_has_numbered_lines(waiting: Play, reviewer: User) -> None:
    page = html(browser(reviewer).get(f"{path(waiting)}?view=source"))
    assert '<th scope="row">3</th><td><code>1. Read parser.py</code></td>' in page


def test_a_long_source_comes_in_parts(operator: User, reviewer: User) -> None:
    long = play(operator, [submits("# Long\n" + "x\n" * 2500)]).work()
    client = browser(reviewer)
    assert "Go on at line 2001 of 2501" in text(client.get(f"{path(long)}?view=source"))
    rest = html(client.get(f"{path(long)}?view=source&line=2001"))
    assert '<th scope="row">2501</th>' in rest
    assert '<th scope="row">2000</th>' not in rest


@pytest.mark.parametrize(
    "query",
    ["?view=mine", "?view=source&line=0", "?line=x", "?line=²", "?decide=nothing", "?decide="],
)
def test_odd_queries_are_refused(query: str, waiting: Play, reviewer: User) -> None:
    assert browser(reviewer).get(f"{path(waiting)}{query}").status_code == 400


def test_a_first_revision_has_nothing_to_compare_with(waiting: Play, reviewer: User) -> None:
    page = text(browser(reviewer).get(f"{path(waiting)}?view=changes"))
    assert "first revision: there is nothing to compare with" in page


@on_sqlite
def test_changes_of_a_damaged_revision_can_not_be_shown(revised: Play, reviewer: User) -> None:
    first = Review.objects.get(session_id=revised.id, revision_version=1)
    damage(first.sha256)
    page = browser(reviewer).get(f"{path(revised)}?view=changes")
    assert "earlier revision are damaged" in text(page)
    assert "Approve…" in text(page)


def damage(sha256: str) -> None:
    """Change stored bytes as only somebody beside the program could."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')
    Blob.objects.filter(sha256=sha256).update(content=b"# Something else")


@on_sqlite
def test_a_damaged_plan_is_neither_shown_nor_decided(waiting: Play, reviewer: User) -> None:
    damage(waiting.review.sha256)
    client = browser(reviewer)
    page = client.get(path(waiting))
    assert "The stored plan is damaged" in text(page)
    assert "Something else" not in text(page)
    assert 'name="decide"' not in html(page)
    assert 'name="decide"' not in html(client.get(f"{path(waiting)}/state"))
    answer = decides(client, waiting, "approve", option="Large", start="yes")
    assert answer.status_code == 500
    assert "The stored plan is damaged. It can" in text(answer)
    assert waiting.review.status == "open"


@pytest.mark.parametrize(
    ("decision", "fields", "outcome"),
    [
        pytest.param("approve", {"option": "Large", "start": "yes"}, "approved", id="approve"),
        pytest.param("revise", {"feedback": "More"}, "revise", id="revise"),
        pytest.param("reject", {"reason": "No"}, "rejected", id="reject"),
        pytest.param(
            "reject_and_exit", {"reason": "No"}, "rejected_and_exited", id="reject and exit"
        ),
        pytest.param("dismiss", {}, "dismissed", id="dismiss"),
    ],
)
def test_a_decision_leads_to_its_result(
    decision: str, fields: dict[str, str], outcome: str, waiting: Play, reviewer: User
) -> None:
    client, here = browser(reviewer), path(waiting)
    answer = decides(client, waiting, decision, **fields)
    assert answer.status_code == 302
    assert answer["Location"] == f"{here}#decided"
    assert waiting.review.outcome == outcome
    page = client.get(here)
    assert f'data-closed="{outcome}"' in html(page)
    assert "by reviewer" in text(page)
    assert "stored → not yet given to the agent" in text(page)
    assert f'data-path="/ws/sessions/{waiting.id}"' in html(page)
    assert 'name="decide"' not in html(page)
    waiting.work()
    assert "stored → given to the agent" in text(client.get(here))


def test_a_result_shows_what_was_said(waiting: Play, reviewer: User) -> None:
    client = browser(reviewer)
    decides(client, waiting, "approve", option="Large", feedback="Mind\r\nthe tests")
    record = DecisionRecord.objects.get()
    assert (record.option, record.feedback, record.start) == ("Large", "Mind\nthe tests", False)
    page = text(client.get(path(waiting)))
    assert "option “Large”" in page
    assert "Mind the tests" in page
    assert "Approved without starting" in page


def test_a_reason_is_shown(waiting: Play, reviewer: User) -> None:
    client = browser(reviewer)
    decides(client, waiting, "reject", reason="The wrong module")
    assert "Reason The wrong module" in text(client.get(path(waiting)))


@pytest.mark.parametrize(
    ("decision", "fields", "problem"),
    [
        pytest.param("approve", {"start": "yes"}, "Choose the option", id="no option"),
        pytest.param("approve", {"option": "Huge"}, "offers no option", id="unknown option"),
        pytest.param("revise", {"feedback": " \n"}, "Say what the agent", id="no feedback"),
        pytest.param("revise", {"reason": "x", "feedback": "y"}, "reason does not go", id="reason"),
        pytest.param("reject", {"reason": "x" * LONGEST_FEEDBACK + "x"}, "64 KiB", id="too long"),
        pytest.param("reject_and_exit", {"reason": " "}, "Say why", id="case:C044 no reason"),
    ],
)
def test_an_incomplete_decision_comes_back_with_everything_typed(
    decision: str, fields: dict[str, str], problem: str, waiting: Play, reviewer: User
) -> None:
    answer = decides(browser(reviewer), waiting, decision, **fields)
    assert answer.status_code == 422
    assert problem in text(answer)
    assert "data-focus" in html(answer)
    typed = fields.get("feedback", "").strip() or fields.get("reason", "")
    assert typed in html(answer)
    assert waiting.review.status == "open"


def test_a_note_and_an_unticked_box_survive_a_mistake(waiting: Play, reviewer: User) -> None:
    page = html(decides(browser(reviewer), waiting, "approve", feedback="Mind <b>"))
    step = page[page.index('id="step"') : page.index('class="plan-tools"')]
    assert "Mind &lt;b&gt;</textarea>" in step
    assert 'name="start" value="yes">' in step


def test_another_sha256_is_refused_and_the_text_kept(waiting: Play, reviewer: User) -> None:
    answer = decides(browser(reviewer), waiting, "revise", feedback="My text", sha256="0" * 64)
    assert answer.status_code == 409
    assert "under review is revision 1" in text(answer)
    assert "My text</textarea>" in html(answer)
    assert waiting.review.status == "open"


def test_who_comes_second_sees_who_was_first(
    waiting: Play, project: Project, reviewer: User
) -> None:
    lead = member(project, "lead", Role.LEAD)
    approve(waiting, lead, option="Small")
    answer = decides(browser(reviewer), waiting, "revise", feedback="My long text")
    assert answer.status_code == 409
    assert "decided by lead" in text(answer)
    assert "Approved by lead, option “Small”" in text(answer)
    assert "readonly>My long text</textarea>" in html(answer)


def test_a_decision_on_an_older_revision_leads_to_the_newer_one(
    revised: Play, reviewer: User
) -> None:
    newer = revised.review
    older = Review.objects.get(session_id=revised.id, revision_version=1)
    sent = {"decision": "reject", "sha256": older.sha256, "reason": "My text"}
    answer = browser(reviewer).post(f"/reviews/{older.pk}/decision", sent)
    assert answer.status_code == 409
    assert f"/reviews/{newer.pk}?view=changes" in html(answer)
    assert "see what changed" in text(answer)
    assert ">My text</textarea>" in html(answer)


def test_an_unknown_decision_is_refused(waiting: Play, reviewer: User) -> None:
    assert decides(browser(reviewer), waiting, "approve!").status_code == 400
    assert waiting.review.status == "open"


def test_without_a_script_a_button_opens_its_sheet_on_the_page(
    waiting: Play, reviewer: User
) -> None:
    page = html(browser(reviewer).get(f"{path(waiting)}?decide=approve&option=Large"))
    step = page[page.index('id="step"') : page.index('class="plan-tools"')]
    assert 'value="Large" required checked' in step
    assert "exactly as it stands on this page" in step
    assert waiting.review.sha256 in step


def test_a_sheet_asked_for_too_late_says_who_decided_what(
    waiting: Play, project: Project, reviewer: User
) -> None:
    approve(waiting, member(project, "lead", Role.LEAD), option="Small")
    page = browser(reviewer).get(f"{path(waiting)}?decide=reject")
    step = step_of(page)
    assert "Not possible: Reject" in step
    assert "This review is closed:" in step
    assert "Approved" in step
    assert "by lead" in step
    assert 'class="errors"' not in step


def test_a_sheet_of_a_decision_that_a_person_may_not_take_says_why(
    waiting: Play, admin: User
) -> None:
    step = step_of(browser(admin).get(f"{path(waiting)}?decide=approve"))
    assert "Deciding takes the role reviewer or lead" in step
    assert 'class="errors"' not in step


def test_an_admin_may_only_dismiss_and_reads_why(waiting: Play, admin: User) -> None:
    client = browser(admin)
    page = client.get(path(waiting))
    assert html(page).count('name="decide"') == 1
    assert "Deciding takes the role reviewer or lead" in text(page)
    assert 'type="radio"' not in html(page)
    assert decides(client, waiting, "approve", option="Small").status_code == 403
    assert waiting.review.status == "open"
    assert decides(client, waiting, "dismiss").status_code == 302


def test_a_refused_decision_keeps_the_text(waiting: Play, operator: User) -> None:
    """complaints:K-28."""
    answer = decides(browser(operator), waiting, "revise", feedback="My text")
    assert answer.status_code == 403
    assert "do not let you revise" in text(answer)
    assert "readonly>My text</textarea>" in html(answer)


def test_a_manager_reads_no_plan_by_sending_a_form(waiting: Play, manager: User) -> None:
    answer = decides(browser(manager), waiting, "revise", feedback="x")
    assert answer.status_code == 403
    assert "parser.py" not in text(answer)


def test_nobody_decides_on_their_own_agents_plan_unless_the_project_says_so(
    project: Project,
) -> None:
    both = member(project, "both", Role.OPERATOR, Role.REVIEWER)
    own = play(both, [submits(), {"text": "Done."}]).work()
    client = browser(both)
    page = client.get(path(own))
    assert "somebody else has to decide" in text(page)
    assert html(page).count('name="decide"') == 1
    assert decides(client, own, "approve", start="yes").status_code == 403
    Project.objects.update(allow_self_review=True)
    assert decides(client, own, "approve", start="yes").status_code == 302
    assert "self-approved" in text(client.get(path(own)))
    assert "both, their own agent" in text(client.get("/?tab=decided"))


def test_an_automatic_approval_says_that_nobody_reviewed_it(
    project: Project, operator: User, reviewer: User
) -> None:
    Project.objects.update(allow_auto=True)
    auto = play(operator, [submits(), {"text": "Done."}], permission_mode="auto").work()
    client = browser(reviewer)
    page = text(client.get(path(auto)))
    assert "Auto-approved without a review by a person" in page
    assert "given to the agent" in page
    assert "not reviewed by a person" in text(client.get("/?tab=decided"))


def test_a_withdrawn_review_is_closed(waiting: Play, operator: User, reviewer: User) -> None:
    browser(operator).post(f"/sessions/{waiting.id}/cancel")
    page = browser(reviewer).get(path(waiting))
    assert 'data-closed="withdrawn"' in html(page)
    assert "given to the agent" not in text(page)


def test_the_parts_that_others_change_come_alone(waiting: Play, reviewer: User) -> None:
    client = browser(reviewer)
    part = html(client.get(f"{path(waiting)}/state?view=source"))
    assert "<html" not in part
    assert 'name="view" value="source"' in part
    approve(waiting, reviewer, option="Small")
    assert 'data-closed="approved"' in html(client.get(f"{path(waiting)}/state"))


def test_text_of_others_is_shown_and_never_obeyed(operator: User, reviewer: User) -> None:
    evil = "# T <script>x</script>\u202e\n\n<img src=x onerror=y>\n"
    one = play(operator, [submits(evil, "<b>A</b>", "B")]).work()
    client = browser(reviewer)
    for page in ("", "?view=source", "?view=changes", "?decide=approve"):
        answer = client.get(f"{path(one)}{page}")
        assert "<script>x" not in html(answer)
        assert "<img" not in html(answer)
        assert "<b>A" not in html(answer)
        assert "\u202e" not in html(answer)
    assert "[U+202E]" in text(client.get("/"))


def test_a_page_takes_a_bounded_number_of_queries(revised: Play, reviewer: User) -> None:
    client, here = browser(reviewer), path(revised)
    for page in ("", "?view=changes", "/state"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"{here}{page}").status_code == 200
        assert len(queries) <= MOST_QUERIES
