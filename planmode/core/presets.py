"""Plan mode's knobs, and the presets that set them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Cadence:
    """When the model is reminded of plan mode.

    ``by_distance`` counts assistant messages: a short text after ``short_after``, the whole one
    after ``whole_after``. ``by_person`` counts what people said: a text after each
    ``people_between`` messages, the whole one each ``whole_every`` texts. ``each_request`` gives
    the whole text whenever a person spoke, ``notice`` one sentence when a person changed the mode
    (the instructions stand in the system text).
    """

    how: Literal["by_distance", "by_person", "each_request", "notice"] = "by_distance"
    short_after: int = 2
    whole_after: int = 5
    people_between: int = 5
    whole_every: int = 5


BY_DISTANCE: Final = Cadence()
Workflow = Literal["phases", "delegating", "iterative", "section", "plan_list"]


@dataclass(frozen=True, slots=True)
class PlanModeConfig:
    """How one kind of agent does plan mode; code asks for a knob, never for a preset's name.

    ``source``: where a submission's text comes from. ``submit``: what submits. ``enforcement``:
    whether the guard decides, or only the text tells. ``tools``: the catalogue while planning.
    ``workflow``: which instructions; ``delegating`` gives the first two phases to agents, at most
    ``explorers`` and ``designers`` of them. ``plan_folder``: where plan files lie; ``none`` has no
    file. ``slug``: how a plan id is made. ``auto_exit``: whether ExitPlanMode approves by itself in
    permission mode ``auto`` (the project must allow it, too). ``after_dismiss``: whether the turn
    goes on. ``refusal``: whether revise and dismiss are error results. ``rejects``: whether a
    review may be rejected, too. ``completion``: what completes a plan step. ``unsubmitted``:
    whether a turn that ends while planning, without a submission, is reminded once and then
    stopped.
    """

    source: Literal["plan_file", "argument", "reply"] = "plan_file"
    submit: Literal["tool", "reply"] = "tool"
    enforcement: Literal["hard", "guidance"] = "hard"
    tools: Literal["unchanged", "read_only"] = "unchanged"
    workflow: Workflow = "phases"
    explorers: int = 0
    designers: int = 0
    cadence: Cadence = BY_DISTANCE
    plan_folder: Literal["session", "project", "none"] = "session"
    slug: Literal["words", "prompt"] = "words"
    auto_exit: bool = True
    after_dismiss: Literal["goes_on", "waits"] = "goes_on"
    refusal: Literal["success", "error"] = "success"
    rejects: bool = True
    completion: Literal["evidence", "claimed"] = "evidence"
    unsubmitted: Literal["reminds", "ends"] = "reminds"


PRESETS: Final[Mapping[str, PlanModeConfig]] = {
    "kimi": PlanModeConfig(),
    "claude": PlanModeConfig(
        workflow="delegating",
        cadence=Cadence("by_person"),
        plan_folder="project",
        slug="prompt",
        auto_exit=False,
    ),
    "dsh": PlanModeConfig(
        source="argument",
        enforcement="guidance",
        workflow="section",
        cadence=Cadence("notice"),
        plan_folder="none",
        auto_exit=False,
        after_dismiss="waits",
        refusal="error",
        rejects=False,
    ),
    "pi": PlanModeConfig(
        source="reply",
        submit="reply",
        tools="read_only",
        workflow="plan_list",
        cadence=Cadence("each_request"),
        plan_folder="none",
        auto_exit=False,
        after_dismiss="waits",
        rejects=False,
        completion="claimed",
        unsubmitted="ends",
    ),
}
DEFAULT_PRESET: Final = "kimi"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an installation chooses where a preset leaves it the choice.

    ``explorers`` and ``designers`` are the most agents of a planning turn, for looking around and
    for designing. ``iterative`` plans in a loop instead of phases.
    """

    iterative: bool = False
    explorers: int = 3
    designers: int = 1


NO_WISHES: Final = Wishes()


def resolve(preset: str, wishes: Wishes = NO_WISHES) -> PlanModeConfig:
    """Return the knobs of the preset called ``preset``, which exists, with what was wished for."""
    config = PRESETS[preset]
    if config.workflow != "delegating":
        return config
    if wishes.iterative:
        return replace(config, workflow="iterative")
    return replace(config, explorers=wishes.explorers, designers=wishes.designers)
