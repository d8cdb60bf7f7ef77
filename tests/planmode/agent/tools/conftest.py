"""A workspace and a session, for one tool at a time."""

from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from planmode.agent.catalog import TOOLS, parse
from planmode.agent.contracts import ToolContext, ToolOutcome, ToolResult
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core.state import EMPTY
from planmode.core.wire import canonical
from planmode.store.confined import ConfinedFolder


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a tool works; ``work`` is the workspace, ``plan`` the current plan file."""

    work: Path
    plan: Path
    context: ToolContext

    def outcome(self, name: str, **args: object) -> ToolOutcome:
        """Run a tool as the engine does."""
        tool = TOOLS[name]
        return tool.run(parse(tool, canonical(args).decode()), self.context)

    def result(self, name: str, **args: object) -> ToolResult:
        """Run a tool that answers at once."""
        outcome = self.outcome(name, **args)
        assert isinstance(outcome, ToolResult)
        return outcome

    def text(self, name: str, **args: object) -> str:
        """Run a tool that succeeds."""
        result = self.result(name, **args)
        assert not result.is_error, result.text
        return result.text

    def error(self, name: str, **args: object) -> str:
        """Run a tool that says what went wrong."""
        result = self.result(name, **args)
        assert result.is_error, result.text
        assert not result.events
        assert result.plan_bytes is None
        return result.text

    def changed(self, **fields: Any) -> "Ground":  # noqa: ANN401 - the context's own fields
        """Return the same ground with other fields of the context."""
        return replace(self, context=replace(self.context, **fields))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A workspace without files and a plan that is not written yet."""
    work, session = tmp_path / "work", tmp_path / "s1"
    work.mkdir()
    session.mkdir()
    relative = PurePosixPath("agents/main/plans/bold-amber-fox.md")
    reach = Reach(ConfinedFolder(work), ConfinedFolder(session), relative)
    context = ToolContext(reach, EMPTY, Sandbox.probe())
    return Ground(work, session / relative, context)
