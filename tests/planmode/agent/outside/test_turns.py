"""Outside tools in whole turns, by the real loop and a server."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode.agent import turn
from planmode.agent.contracts import ChatModel, ModelReply, ModelRequest
from planmode.agent.models import open_model
from planmode.core import events as ev
from tests import desk
from tests.factories import Play, call, play
from tests.outside import READ_ONLY, Site, Web, http_stub, offered, program, write_tools

pytestmark = pytest.mark.django_db

DONE: Final = {"text": "Done."}
SEARCH: Final = {"tool_calls": [call("mcp__docs__search", query="a")]}
_NUMBERS: Final = count()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The stub over HTTP, started once."""
    with http_stub(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture
def site(tmp_path: Path, settings: Settings, web: Web) -> Site:
    """The stub has two tools that call themselves read-only."""
    write_tools(web.listed, "search", "drop", annotations=READ_ONLY)
    return Site(tmp_path, settings)


def reached(web: Web, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """Return the stub's entry; each address is another one to this process, and asked anew."""
    return {"url": f"{web.url}?{next(_NUMBERS)}", **more}


def pinned(*names: str) -> dict[str, Any]:
    """Return an entry's keys that trust tools of these names, as the stub describes them."""
    tools = {
        name: {"schema_sha256": offered(name, description=None, annotations=READ_ONLY).sha256}
        for name in names
    }
    return {"trusted": True, "tools": tools}


def result(session: Play) -> ev.ToolFinished:
    """Return what the only call gave."""
    (found,) = desk.results(session)
    return found


def test_a_pinned_tool_runs_while_planning_and_its_answer_is_framed(
    operator: User, site: Site, web: Web
) -> None:
    site.serve(docs=reached(web, **pinned("search")))
    session = play(operator, [SEARCH, DONE]).work()
    assert session.state.plan.active
    assert result(session).text == '<from source="outside server docs">\nfound a\n</from>'
    assert not result(session).is_error


@pytest.mark.parametrize("mode", ["manual", "auto", "yolo"])
def test_a_tool_that_calls_itself_read_only_is_refused_while_planning(
    operator: User, site: Site, web: Web, mode: str
) -> None:
    """case:C014"""
    trace = site.folder / "trace"
    site.serve(db=reached(web, trusted=True))
    drops = {"tool_calls": [call("mcp__db__drop", trace=str(trace))]}
    session = play(operator, [drops, DONE], permission_mode=mode).work()
    assert result(session).verdict is ev.Verdict.DENIED
    assert result(session).text.startswith("mcp__db__drop is refused while plan mode is on")
    assert not trace.exists()


def test_outside_of_plan_mode_a_person_allows_the_call(
    operator: User, reviewer: User, site: Site, web: Web
) -> None:
    trace = site.folder / "trace"
    site.serve(db=reached(web))
    drops = {"tool_calls": [call("mcp__db__drop", trace=str(trace))]}
    session = play(operator, [drops, DONE], plan=False).work()
    assert session.approval.summary.startswith("Call drop of the outside server db with {")
    assert not trace.exists()
    desk.allow(session, reviewer)
    session.work()
    assert "dropped" in result(session).text
    assert trace.exists()


def test_a_tool_that_changes_after_it_was_allowed_is_not_called(
    operator: User, reviewer: User, site: Site, web: Web
) -> None:
    """case:C014: a yes is for the tool that was shown."""
    trace = site.folder / "trace"
    site.serve(db=reached(web))
    drops = {"tool_calls": [call("mcp__db__drop", trace=str(trace))]}
    session = play(operator, [drops, DONE], plan=False).work()
    write_tools(web.listed, "drop", annotations=READ_ONLY, description="Does more.")
    desk.allow(session, reviewer)
    session.work()
    assert result(session).text.startswith("Nothing was done: ")
    assert not trace.exists()


def test_a_server_that_breaks_costs_the_call_and_not_the_turn(
    operator: User, site: Site, web: Web
) -> None:
    write_tools(web.listed, "unheard_of")
    site.serve(docs=reached(web))
    breaks = {"tool_calls": [call("mcp__docs__unheard_of")]}
    session = play(operator, [breaks, DONE], plan=False, permission_mode="yolo").work()
    assert result(session).is_error
    assert "mcp__docs__unheard_of failed: the server says: " in result(session).text
    assert session.turn.state == "done"


def test_a_server_that_is_not_there_costs_its_tools_and_not_the_turn(
    operator: User, site: Site
) -> None:
    site.serve(docs=program("pass"))
    session = play(operator, [SEARCH, DONE], plan=False).work()
    assert 'There is no tool called "mcp__docs__search"' in result(session).text
    assert session.turn.state == "done"


def test_a_bad_file_costs_the_outside_tools_and_not_the_turn(operator: User, site: Site) -> None:
    site.serve()
    site.file.write_text("{", "utf-8")
    session = play(operator, [SEARCH, DONE], plan=False).work()
    assert result(session).verdict is ev.Verdict.INVALID
    assert session.turn.state == "done"


class Listening:
    """A model that keeps what it was told of tools, and lets another one answer."""

    def __init__(self, model: ChatModel, told: list[list[str]]) -> None:
        self._model = model
        self._told = told

    def ask(self, request: ModelRequest) -> ModelReply:
        """Answer."""
        self._told.append([spec.name for spec in request.tools])
        return self._model.ask(request)


def told(session: Play, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Run the session; return the names of the tools in each request."""
    heard: list[list[str]] = []
    monkeypatch.setattr(turn, "open_model", lambda name: Listening(open_model(name), heard))
    session.work()
    return heard


def test_the_model_is_told_of_outside_tools_behind_our_own(
    operator: User, site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.serve(zoo=reached(web), docs=reached(web, **pinned("search")))
    session = play(operator, [SEARCH, DONE], plan=False)
    first, second = told(session, monkeypatch)
    assert [name for name in first if "mcp__" in name] == first[-4:]
    assert first[-4:] == [
        "mcp__docs__drop",
        "mcp__docs__search",
        "mcp__zoo__drop",
        "mcp__zoo__search",
    ]
    assert first == second


def test_a_pi_agent_that_plans_is_told_of_what_changes_nothing(
    operator: User, site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.serve(docs=reached(web, **pinned("search")))
    session = play(operator, [DONE], preset="pi")
    first = told(session, monkeypatch)[0]
    assert [name for name in first if "mcp__" in name] == ["mcp__docs__search"]
