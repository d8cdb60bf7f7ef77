"""What changed between two revisions, by HTTP."""

import pytest
from django.contrib.auth.models import User

from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests.desk import decide
from tests.factories import Play, play, submits
from tests.planmode.api.http import browser, get, problem

OLD = "# Plan\n\nRotate the keys hourly, and tell nobody.\n"
NEW = "# Plan\n\nRotate the keys daily, and tell nobody.\n"


@pytest.fixture
def revised(operator: User, reviewer: User) -> Play:
    session = play(operator, [submits(OLD), submits(NEW), {"text": "Done."}]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Otherwise")
    return session.work()


def revisions(session: Play) -> list[Review]:
    return list(Review.objects.filter(session_id=session.id).order_by("revision_version"))


def test_lines_with_their_words(revised: Play, reviewer: User) -> None:
    old, new = revisions(revised)
    body = get(browser(reviewer), f"/reviews/{new.pk}/diff?from={old.pk}").json()
    assert (body["from"]["version"], body["to"]["version"]) == (1, 2)
    assert body["to"]["sha256"] == new.sha256
    assert (body["added"], body["removed"], body["coarse"], body["next"]) == (1, 1, False, None)
    [hunk] = body["hunks"]
    assert (hunk["left_out"], hunk["path"]) == (0, ["Plan"])
    removed = hunk["lines"][2]
    assert (removed["kind"], removed["old"], removed["new"], removed["moved"]) == (
        *("removed", 3, None, None),
    )
    assert [span["text"] for span in removed["spans"] if span["changed"]] == ["hourly"]
    assert "".join(span["text"] for span in removed["spans"]) == OLD.split("\n")[2] + "\n"


def test_text_for_a_terminal(revised: Play, reviewer: User) -> None:
    old, new = revisions(revised)
    here = f"/reviews/{new.pk}/diff?from={old.pk}&format=text"
    answer = get(browser(reviewer), here)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.content.decode().split("\n")
    assert lines[0] == f"--- {old.plan_id}/v1\t{old.sha256}"
    assert lines[2:] == [
        *("@@ -1,3 +1,3 @@ Plan", " # Plan", " "),
        *("-Rotate the keys hourly, and tell nobody.", "+Rotate the keys daily, and tell nobody."),
        "",
    ]
    marked = get(browser(reviewer), f"{here}&words=true").content.decode()
    assert "-Rotate the keys [-hourly-], and tell nobody." in marked
    assert "+Rotate the keys {+daily+}, and tell nobody." in marked


def test_many_lines_come_in_parts(operator: User, reviewer: User) -> None:
    old, new = ("# Long\n" + f"{word}\n" * 1500 for word in ("old", "new"))
    session = play(operator, [submits(old), submits(new), {"text": "Done."}]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Otherwise")
    first, second = revisions(session.work())
    here = f"/reviews/{second.pk}/diff?from={first.pk}"
    body = get(browser(reviewer), here).json()
    assert body["next"] == 2001
    rest = get(browser(reviewer), f"{here}&line=2001").json()
    assert rest["next"] is None
    assert [len(part["hunks"][0]["lines"]) for part in (body, rest)] == [2000, 1001]


def test_moves_are_named(operator: User, reviewer: User) -> None:
    moving = "The cache may be stale for a while.\n"
    old, new = f"# P\n\n{moving}\none\n\ntwo\n", f"# P\n\none\n\ntwo\n\n{moving}"
    session = play(operator, [submits(old), submits(new), {"text": "Done."}]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Otherwise")
    first, second = revisions(session.work())
    body = get(browser(reviewer), f"/reviews/{second.pk}/diff?from={first.pk}").json()
    assert body["moves"] == [{"old": [3, 3], "new": [7, 7], "edited": False}]


@pytest.mark.parametrize(
    "query", ["", "?from=ID&format=html", "?from=ID&line=0", "?from=ID&more=1"]
)
def test_odd_queries_are_refused(query: str, revised: Play, reviewer: User) -> None:
    old, new = revisions(revised)
    answer = get(browser(reviewer), f"/reviews/{new.pk}/diff{query.replace('ID', str(old.pk))}")
    assert problem(answer) == (400, "query_invalid")


def test_only_who_may_read_the_plan_reads_what_changed(
    revised: Play, operator: User, reviewer: User, stranger: User, manager: User
) -> None:
    old, new = revisions(revised)
    here = f"/reviews/{new.pk}/diff?from={old.pk}"
    assert problem(get(browser(stranger), here)) == (404, "review_unknown")
    assert get(browser(manager), here).status_code == 403
    other = play(operator, [submits(OLD)]).work().review
    elsewhere = f"/reviews/{new.pk}/diff?from={other.pk}"
    assert problem(get(browser(reviewer), elsewhere)) == (404, "review_unknown")
