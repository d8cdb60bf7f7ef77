"""Starting a session, and interrupting its agent."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User

from planmode import children, families, modes, turns
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.attachments import NewAttachment
from planmode.core.errors import NoTurnError, ProjectUnknownError, SessionInvalidError
from planmode.core.modelnames import problem_with
from planmode.core.outcomes import Closure
from planmode.core.permission import PermissionMode
from planmode.core.presets import DEFAULT_PRESET, PRESETS
from planmode.core.rules import Level, parse_rules
from planmode.core.titles import plan_title
from planmode.knobs import knobs, section_of
from planmode.models import Session, Turn
from planmode.services.messages import checked_text, kept, say
from planmode.store import eventlog, workspaces


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a session starts with; ``local`` says that a person on this machine asks.

    An empty workspace is the project's workspace root; where model, preset or permission mode are
    empty, the project's own counts, else the installation's.
    ``rules`` are permission rules of its own, which only tighten those of project and
    installation; ``attachments`` go with the prompt.
    """

    project: str
    workspace: str
    prompt: str
    model: str = ""
    preset: str = ""
    permission_mode: str = ""
    plan: bool = True
    local: bool = False
    rules: tuple[str, ...] = ()
    attachments: tuple[NewAttachment, ...] = ()


def start_session(new: NewSession, *, owner: User) -> UUID:
    """Start a session with its first turn due; return its id.

    Raises:
        ProjectUnknownError: no such project.
        WorkspaceRefusedError: the workspace is not available.
        SessionInvalidError: model, preset or permission mode can't be used, or nothing says how
            to plan here, where the deployment has to.
        MessageInvalidError: the prompt is blank or too large.
        RulesInvalidError: one of the session's permission rules can't be used.
        AttachmentRefusedError: a file can't go with the prompt.
    """
    project = Project.objects.filter(name=new.project).first()
    if project is None:
        raise ProjectUnknownError(f"no project {new.project!r}")
    new = _as_usual_in(project, new)
    mode = _checked_mode(new)
    _check_section(new.preset, project)
    prompt = checked_text(new.prompt, files=len(new.attachments))
    parse_rules(new.rules, Level.SESSION)
    session = Session(
        project=project,
        owner=owner,
        title=plan_title(prompt or new.attachments[0].name),
        workspace=workspaces.checked(new.workspace, local=new.local, root=project.workspace_root),
        model=new.model,
    )
    with eventlog.creating(session) as log:
        log.add(_started(session, new, mode))
        if new.plan:
            log.add(modes.entering(log, by=owner.pk, prompt=prompt))
        say(log, prompt, kept(new.attachments), author=owner)
    return session.pk


def _as_usual_in(project: Project, new: NewSession) -> NewSession:
    """Return ``new`` with what the project, or the installation, says where it says nothing."""
    return replace(
        new,
        model=new.model or project.model or settings.DEFAULT_MODEL,
        preset=new.preset or project.preset or DEFAULT_PRESET,
        permission_mode=new.permission_mode
        or project.permission_mode
        or PermissionMode.MANUAL.value,
    )


def _started(session: Session, new: NewSession, mode: PermissionMode) -> ev.SessionStarted:
    return ev.SessionStarted(
        session.project.name,
        session.workspace,
        new.model,
        new.preset,
        mode,
        session.owner_id,
        rules=new.rules,
    )


def _checked_mode(new: NewSession) -> PermissionMode:
    if new.preset not in PRESETS:
        raise SessionInvalidError(f"no preset {new.preset!r}; there are: {', '.join(PRESETS)}")
    problem = problem_with(new.model, local=new.local)
    if problem:
        raise SessionInvalidError(problem)
    try:
        return PermissionMode(new.permission_mode)
    except ValueError as error:
        names = ", ".join(PermissionMode)
        raise SessionInvalidError(
            f"no permission mode {new.permission_mode!r}; there are: {names}"
        ) from error


def _check_section(preset: str, project: Project) -> None:
    """Refuse a session that nothing would keep from acting while it plans."""
    if knobs(preset).workflow != "section":
        return
    try:
        section = section_of(project.plan_section)
    except (OSError, UnicodeDecodeError) as error:
        raise SessionInvalidError("PLAN_SECTION_FILE can't be read") from error
    if not section:
        raise SessionInvalidError(
            f"preset {preset} needs a text that says how to plan: set the plan section of project "
            f"{project.name}, or PLAN_SECTION_FILE for all"
        )


def cancel_turn(session_id: UUID) -> None:
    """End the open turn now: its worker's next write is refused, an open review is withdrawn.

    Plan mode stays as it is: only an explicit decision leaves it. What was said since the turn's
    first step, and not heard, gets a turn of its own; a turn that never began takes along all that
    it was to answer, until the next message. A child that the turn waits for is ended with it.

    Raises:
        SessionUnknownError: no such session.
        NoTurnError: no turn is open.
    """
    with families.opened(session_id) as family:
        log = family.log
        turn = Turn.objects.select_for_update().filter(session_id=session_id).open().first()
        if turn is None:
            raise NoTurnError("the agent is not at work")
        if log.state.plan.review:
            log.add(ev.PlanReviewClosed(log.state.plan.review, Closure.WITHDRAWN))
        children.cancel(log)
        turns.close_turn(family, turn, ev.TurnEnded(turn.number, ev.TurnState.CANCELLED))
        if log.state.turn.steps and log.state.turn.unseen:
            turns.queue_turn(log)


def hold_session(session_id: UUID) -> None:
    """Lock a session for the rest of the caller's transaction, before it writes rows of its own.

    Every verb locks the session first, so that no two wait for each other.
    """
    Session.objects.select_for_update().filter(pk=session_id).first()
