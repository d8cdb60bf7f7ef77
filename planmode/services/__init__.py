"""Verbs of people on the agent's side, each one transaction."""

from planmode.core.attachments import NewAttachment
from planmode.services.answers import (
    answer_approval,
    answer_question,
    expire_review,
    resolve_plan,
)
from planmode.services.choices import Choice, choose_permission_mode, choose_plan_mode
from planmode.services.commands import CommandResult, action_of, run_command
from planmode.services.history import compact, fork, retry_turn, undo
from planmode.services.jobs import delete_schedule, stop_task
from planmode.services.messages import LONGEST_MESSAGE, post_message
from planmode.services.plans import clear_plan, edit_plan
from planmode.services.sessions import NewSession, cancel_turn, hold_session, start_session

__all__ = [
    "LONGEST_MESSAGE",
    "Choice",
    "CommandResult",
    "NewAttachment",
    "NewSession",
    "action_of",
    "answer_approval",
    "answer_question",
    "cancel_turn",
    "choose_permission_mode",
    "choose_plan_mode",
    "clear_plan",
    "compact",
    "delete_schedule",
    "edit_plan",
    "expire_review",
    "fork",
    "hold_session",
    "post_message",
    "resolve_plan",
    "retry_turn",
    "run_command",
    "start_session",
    "stop_task",
    "undo",
]
