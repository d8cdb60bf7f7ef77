"""AskUserQuestion: what only a person can answer."""

from typing import Annotated

from pydantic import Field

from planmode.agent.contracts import Arguments, Asks, ToolContext
from planmode.core.events import QuestionItem
from planmode.core.guard import CallFacts


class Question(Arguments):
    """One question; without choices the answer is free."""

    text: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
    choices: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")], ...],
        Field(max_length=6),
    ] = ()
    several: bool = False


class AskUserQuestionArguments(Arguments):
    """Everything that is to be asked at once."""

    questions: Annotated[tuple[Question, ...], Field(min_length=1, max_length=4)]


class AskUserQuestion:
    """Puts questions before a person; the turn waits."""

    name = "AskUserQuestion"
    arguments = AskUserQuestionArguments
    repeatable = True

    def facts(self, args: AskUserQuestionArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is written."""
        return CallFacts(self.name)

    def summary(self, args: AskUserQuestionArguments) -> str:
        """Return the first question."""
        return " ".join(f"Ask: {args.questions[0].text}".split())[:500]

    def run(self, args: AskUserQuestionArguments, context: ToolContext) -> Asks:
        """Return the questions."""
        return Asks(tuple(QuestionItem(q.text, q.choices, q.several) for q in args.questions))
