"""ExitPlanMode: the plan is submitted for review."""

from typing import Annotated

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from planmode.agent.contracts import Arguments, Submits, ToolContext
from planmode.core.errors import OptionsInvalidError
from planmode.core.guard import CallFacts
from planmode.core.options import MOST_OPTIONS, PlanOption, checked
from planmode.core.titles import plan_title


class Choice(Arguments):
    """One way to carry out the plan."""

    label: str
    description: str = ""


class ExitPlanModeArguments(Arguments):
    """Left out, there is nothing to choose; an empty list is a mistake, not a way to say so."""

    options: Annotated[
        tuple[Choice, ...],
        Field(min_length=1, max_length=MOST_OPTIONS, default_factory=tuple),
    ]

    @field_validator("options")
    @classmethod
    def can_be_offered(cls, options: tuple[Choice, ...]) -> tuple[Choice, ...]:
        """Refuse labels that a person could not choose between."""
        try:
            kept = checked(tuple(PlanOption(o.label, o.description) for o in options))
        except OptionsInvalidError as error:
            raise PydanticCustomError("options", "{reason}", {"reason": str(error)}) from error
        return tuple(Choice(label=o.label, description=o.description) for o in kept)


class PlanArguments(Arguments):
    """``plan`` is all that people read; its bytes are what is kept."""

    plan: str


class ExitPlanModeWithPlan:
    """Hands over a plan that the call itself carries."""

    name = "ExitPlanMode"
    arguments = PlanArguments
    repeatable = True

    def facts(self, args: PlanArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is written."""
        return CallFacts(self.name)

    def summary(self, args: PlanArguments) -> str:
        """Return how the plan is called."""
        return f"Submit the plan {plan_title(args.plan)}"[:500]

    def run(self, args: PlanArguments, context: ToolContext) -> Submits:
        """Return the plan."""
        return Submits(plan=args.plan)


class ExitPlanMode:
    """Hands the plan over; the bytes are read by whoever takes the submission."""

    name = "ExitPlanMode"
    arguments = ExitPlanModeArguments
    repeatable = True

    def facts(self, args: ExitPlanModeArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is written."""
        return CallFacts(self.name)

    def summary(self, args: ExitPlanModeArguments) -> str:
        """Return what is offered."""
        labels = ", ".join(option.label for option in args.options)
        return f"Submit the plan{f' with the options {labels}' if labels else ''}"[:500]

    def run(self, args: ExitPlanModeArguments, context: ToolContext) -> Submits:
        """Return the options."""
        return Submits(tuple(PlanOption(o.label, o.description) for o in args.options))
