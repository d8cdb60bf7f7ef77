"""Votes, needs, risk and deadlines on the review page."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode.access.models import Project, Role
from reviews.core.decisions import DecisionKind
from reviews.core.policy import Rules
from reviews.core.tiers import Tier
from reviews.models import Absence, Comment, DecisionRecord, Draft, Review, Vote
from reviews.services import set_policy
from tests.conftest import member
from tests.desk import approve, decide
from tests.factories import PLAN, Play, call, play, submits
from tests.reviews.pages_client import browser, decides, html, text


@pytest.fixture
def lead(project: Project) -> User:
    """Decides on the second level."""
    return member(project, "lea", Role.LEAD)


@pytest.fixture
def second(project: Project) -> User:
    """Decides, too."""
    return member(project, "second", Role.REVIEWER)


@pytest.fixture
def session(project: Project, operator: User) -> Play:
    """A plan with two options, which needs two approvals and a lead's, within eight hours."""
    set_policy(project, Rules(2, lead=True, deadline_hours=8))
    return play(operator, [submits(PLAN, "Small", "Large"), {"text": "Done."}]).work()


def path(session: Play) -> str:
    return f"/reviews/{session.review.pk}"


def test_the_head_says_what_is_needed_and_from_whom(
    session: Play, reviewer: User, second: User, lead: User
) -> None:
    page = text(browser(reviewer).get(path(session)))
    assert "Needs: 0 of 2 approvals · a lead still needed (policy v1)" in page
    assert "2 more approvals : lea , reviewer , second" in page
    assert "a lead&#x27;s approval : lea" in page


def test_who_can_not_approve_reads_why_and_who_can(
    operator: User, reviewer: User, project: Project
) -> None:
    session = play(operator, [submits()]).work()
    page = text(browser(operator).get(path(session)))
    assert "Needs: 0 of 1 approval" in page
    assert "Why can't I approve, and who can?" in page
    assert "Deciding takes the role reviewer or lead." in page
    assert "1 more approval : reviewer" in page


def test_nobody_is_named_where_nobody_can(session: Play, reviewer: User) -> None:
    assert "nobody in this project can give it now" in text(browser(reviewer).get(path(session)))


def test_absence_and_deputy_are_said_in_words(session: Play, reviewer: User, lead: User) -> None:
    today = timezone.localdate()
    Absence.objects.create(person=lead, first=today, last=today, deputy=reviewer)
    page = text(browser(reviewer).get(path(session)))
    assert "lea (away)" in page
    assert "reviewer (for lea, who is away)" in page


def test_a_vote_is_shown_as_such(session: Play, reviewer: User, second: User, lead: User) -> None:
    client = browser(reviewer)
    before = text(client.get(f"{path(session)}?decide=approve"))
    assert "Still needed after it: 1 more approval · a lead&#x27;s approval." in before
    assert "So nothing is sent yet." in before
    answer = decides(client, session, "approve", option="Small", start="yes")
    assert answer.status_code == 302
    assert answer["Location"].endswith("#decided")
    after = client.get(path(session))
    assert "Needs: 1 of 2 approvals · a lead still needed (policy v1)" in text(after)
    assert "reviewer (you) : option “Small”" in text(after)
    assert "Your approval is kept. Nothing is sent to the agent yet." in text(after)
    assert "Change my vote…" in text(after)
    assert 'id="decided" tabindex="-1"' in html(after)
    assert "2 more approvals" not in text(after)


def test_options_say_what_each_would_do(session: Play, reviewer: User, second: User) -> None:
    set_policy(Project.objects.get(), Rules(2))
    approve(session, reviewer, option="Small")
    page = text(browser(second).get(f"{path(session)}?decide=approve"))
    assert "What happens then depends on the option" in page
    assert "Small closes the review" in page
    assert "Large then still needed: 1 more approval" in page


def test_split_votes_are_named(session: Play, reviewer: User, second: User, lead: User) -> None:
    approve(session, reviewer, option="Small")
    approve(session, second, option="Large")
    page = text(browser(lead).get(path(session)))
    assert "votes for the same option; now they are split between “Large”, “Small”" in page


def test_a_vote_is_withdrawn(session: Play, reviewer: User) -> None:
    approve(session, reviewer, option="Small")
    client = browser(reviewer)
    assert client.post(f"{path(session)}/withdraw").status_code == 302
    assert not Vote.objects.exists()
    again = client.post(f"{path(session)}/withdraw")
    assert again.status_code == 409
    assert "Needs: 0 of 2 approvals" in text(again)


def test_a_closed_review_names_all_who_approved_it(
    session: Play, reviewer: User, second: User, lead: User
) -> None:
    for person in (reviewer, lead, second):
        approve(session, person, option="Small", feedback=f"From {person}.")
    page = text(browser(reviewer).get(path(session)))
    assert "by second, option “Small”, with reviewer, lea" in page
    assert "Under policy v1 of the project" in page
    assert "lea: From lea." in page


def test_other_decisions_say_that_votes_do_not_hold_them(
    session: Play, reviewer: User, second: User
) -> None:
    approve(session, reviewer, option="Small")
    page = text(browser(second).get(f"{path(session)}?decide=reject"))
    assert "This closes the review at once, whatever the 1 approval so far says." in page


def test_who_wrote_into_the_plan_reads_why_they_do_not_approve_it(
    session: Play, reviewer: User
) -> None:
    Review.objects.update(edited_by=reviewer)
    page = browser(reviewer).get(path(session))
    assert "You wrote into this plan." in text(page)
    buttons = re.findall(r'name="decide" value="(\w+)"', html(page))
    assert buttons == ["revise", "reject", "reject_and_exit", "dismiss"]


# Names of sheets


def test_a_sheet_s_name_says_plan_revision_and_agent(session: Play, reviewer: User) -> None:
    """case:C167: the name is the heading's text, the description points to what is there."""
    page = html(browser(reviewer).get(path(session)))
    dialog = re.search(r'<dialog [^>]*id="sheet-approve"[^>]*>', page)
    assert dialog is not None
    for attribute in ("labelledby", "describedby"):
        named = re.search(rf'aria-{attribute}="([^"]+)"', dialog[0])
        assert named is not None
        assert page.count(f'id="{named[1]}"') == 1
    heading = re.search(r'<h2 id="sheet-approve-title">(.*?)</h2>', page, re.DOTALL)
    assert heading is not None
    words = re.sub("<[^>]+>", " ", heading[1])
    assert [
        word
        for word in ("Approve", "Tidy the parser", "revision 1", "agent of operator")
        if word not in " ".join(words.split())
    ] == []


# Risk


def test_risk_and_its_reasons_are_on_the_page_and_in_the_sheet(
    operator: User, reviewer: User
) -> None:
    plan = "# Plan\n\n1. Run `sudo x`\n2. Delete <b>data</b>\n"
    session = play(operator, [submits(plan)]).work()
    page = browser(reviewer).get(path(session))
    assert "High risk 2 reasons" in text(page)
    assert "Dangerous command , line 3: 1. Run `sudo x`" in text(page)
    assert (
        "<b>data</b>" not in html(page).partition('class="risk-line"')[2].partition("</details>")[0]
    )
    assert "High risk: Dangerous command (line 3), Deletion (line 4)" in text(
        browser(reviewer).get(f"{path(session)}?decide=approve")
    )


def test_a_harmless_plan_says_so(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    page = text(browser(reviewer).get(path(session)))
    assert "Low risk" in page
    assert "Nothing was found that counts" in page


def test_numbers_of_a_long_plan(operator: User, reviewer: User) -> None:
    plan = "".join(f"Edit a{number}.py\n" for number in range(250))
    page = text(browser(reviewer).get(path(play(operator, [submits(plan)]).work())))
    assert "Many files : 200 files or folders" in page
    assert "Long plan : 250 lines" in page


def test_warnings_are_on_the_page(operator: User, reviewer: User) -> None:
    session = play(operator, [submits("# Plan\n\n## Option A\n\n## Option B\n")]).work()
    page = text(browser(reviewer).get(path(session)))
    assert "Several approaches, but no options to choose from." in page
    anatomy = session.review.anatomy
    anatomy["warnings"] = [{"kind": "unread", "line": 3, "text": "src/a.py"}]
    Review.objects.update(anatomy=anatomy)
    page = text(browser(reviewer).get(path(session)))
    assert "1 file is named that the agent never read itself src/a.py (line 3)" in page


# Deadlines


def test_more_time_is_one_button_and_counts_once(session: Play, reviewer: User) -> None:
    before = session.review.deadline_at
    assert before is not None
    client = browser(reviewer)
    page = html(client.get(path(session)))
    assert "without a decision; nothing is ever approved by it" in page
    seen = {"deadline": before.isoformat()}
    for _ in range(2):
        assert client.post(f"{path(session)}/extend", seen).status_code == 302
    assert session.review.deadline_at == before + timedelta(hours=8)


@pytest.mark.parametrize("deadline", ["", "soon", "2026-01-01T00:00:00"])
def test_more_time_than_what_is_asked(session: Play, reviewer: User, deadline: str) -> None:
    answer = browser(reviewer).post(f"{path(session)}/extend", {"deadline": deadline})
    assert answer.status_code == 400


def test_a_review_without_a_deadline_gets_none(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    now = {"deadline": timezone.now().isoformat()}
    assert browser(reviewer).post(f"{path(session)}/extend", now).status_code == 409
    assert "Expires" not in text(browser(reviewer).get(path(session)))


def test_a_reader_extends_nothing(session: Play, operator: User) -> None:
    before = session.review.deadline_at
    assert before is not None
    page = browser(operator).get(path(session))
    assert "Extend" not in text(page)
    sent = {"deadline": before.isoformat()}
    assert browser(operator).post(f"{path(session)}/extend", sent).status_code == 403


# A newer revision


@pytest.fixture
def revised(operator: User, reviewer: User) -> Play:
    """A session whose second revision waits."""
    replies = [submits(), submits("# Plan\n\n1. Read\n2. Test\n"), {"text": "Done."}]
    session = play(operator, replies).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Test it.")
    return session.work()


def test_a_decision_on_an_older_revision_is_carried_and_not_taken(
    revised: Play, second: User
) -> None:
    """case:C060: all that was typed comes along, what changed is shown, nothing is decided."""
    older = Review.objects.get(session_id=revised.id, revision_version=1)
    client = browser(second)
    sent = {"decision": "reject", "sha256": older.sha256, "reason": "My <long> text"}
    late = client.post(f"/reviews/{older.pk}/decision", sent)
    assert late.status_code == 409
    assert f'action="{path(revised)}/carry"' in html(late)
    assert "Apply my decision to r2…" in text(late)
    carried = client.post(
        f"{path(revised)}/carry",
        {"decision": "reject", "view": "changes", "reason": "My <long> text"},
    )
    assert carried.status_code == 200
    assert "It counts for revision 2 only." in text(carried)
    assert "My &lt;long&gt; text</textarea>" in html(carried)
    assert f'name="sha256" value="{revised.review.sha256}"' in html(carried)
    assert "<ins" in html(carried), "it is the view of changes"
    assert DecisionRecord.objects.count() == 1
    assert revised.review.status == "open"


# What was seen


def test_a_policy_may_want_every_block_seen(
    operator: User, reviewer: User, project: Project
) -> None:
    """It names how many are left, keeps the text, and takes the approval once they are seen."""
    set_policy(project, Rules(all_seen_from=Tier.HIGH))
    risky = play(operator, [submits("# Plan\n\nsudo x\n"), {"text": "Done."}]).work()
    plain = play(operator, [submits(), {"text": "Done."}]).work()
    assert decides(browser(reviewer), plain, "approve", start="yes").status_code == 302
    client = browser(reviewer)
    assert "wants you to have had every block" in text(client.get(path(risky)))
    refused = decides(client, risky, "approve", start="yes", feedback="My note")
    assert refused.status_code == 409
    assert "2 blocks were never on your screen." in text(refused)
    assert "My note</textarea>" in html(refused)
    assert decides(client, risky, "revise", feedback="Without sudo").status_code == 302


def test_who_has_seen_every_block_approves(
    operator: User, reviewer: User, project: Project
) -> None:
    set_policy(project, Rules(all_seen_from=Tier.LOW))
    session = play(operator, [submits(), {"text": "Done."}]).work()
    client = browser(reviewer)
    client.post(f"{path(session)}/seen", {"all": "yes"})
    assert decides(client, session, "approve", start="yes").status_code == 302
    assert session.review.outcome == "approved"


# Options


def with_options(plan: str, *options: tuple[str, str]) -> dict[str, object]:
    """Return a reply that submits ``plan`` with labels and descriptions."""
    offered = [{"label": label, "description": words} for label, words in options]
    return {
        "tool_calls": [
            call("Write", path="${plan_file}", content=plan),
            call("ExitPlanMode", options=offered),
        ]
    }


def test_options_say_what_became_of_them(operator: User, reviewer: User, second: User) -> None:
    first = with_options("# One", ("A", "Keep the old table"), ("B", "Big bang"))
    again = with_options("# Two", ("A", "Keep the new table"), ("C", "Both"))
    session = play(operator, [first, again, {"text": "Done."}]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Not B.")
    session.work()
    set_policy(Project.objects.get(), Rules(2))
    approve(session, second, option="A")
    page = browser(reviewer).get(path(session))
    assert "A text changed Keep the new table before: Keep the old table second" in text(page)
    assert "<ins>new</ins>" in html(page)
    assert "C new in this revision Both" in text(page)
    assert "Option “B” was dropped in revision 2" in text(page)


def test_who_was_late_keeps_the_text_as_a_draft_or_takes_it_to_the_leads(
    operator: User, reviewer: User, second: User, lead: User
) -> None:
    """The conflict is kept, not hidden: both attempts have their words."""
    session = play(operator, [submits(), {"text": "Done."}]).work()
    approve(session, reviewer)
    client = browser(second)
    late = decides(client, session, "reject", reason="My text")
    assert late.status_code == 409
    assert "Approved by reviewer" in text(late)
    assert f'action="{path(session)}/drafts"' in html(late)
    assert "@lea \nMy text</textarea>" in html(late)
    assert (
        client.post(f"{path(session)}/drafts", {"text": "My text", "keep": "yes"}).status_code
        == 302
    )
    assert Draft.objects.get().text == "My text"
    sent = {"text": "@lea \nMy text", "publish": "yes"}
    assert client.post(f"{path(session)}/drafts", sent).status_code == 302
    assert [person for c in Comment.objects.all() for person in c.mentions.all()] == [lead]
