"""EnterPlanMode: from here on only the plan file may change."""

from planmode.agent.contracts import Enters, NoArguments, ToolContext
from planmode.core.guard import CallFacts


class EnterPlanMode:
    """Asks for plan mode; entering it is the engine's."""

    name = "EnterPlanMode"
    arguments = NoArguments
    repeatable = True

    def facts(self, args: NoArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is written."""
        return CallFacts(self.name)

    def summary(self, args: NoArguments) -> str:
        """Return what it does."""
        return "Enter plan mode"

    def run(self, args: NoArguments, context: ToolContext) -> Enters:
        """Return the wish."""
        return Enters()
