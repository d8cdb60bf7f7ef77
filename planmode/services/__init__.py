"""Verbs of people on the agent's side, each one transaction."""

from planmode.services.answers import answer_approval, answer_question, resolve_plan
from planmode.services.jobs import delete_schedule, stop_task
from planmode.services.messages import LONGEST_MESSAGE, post_message
from planmode.services.sessions import NewSession, cancel_turn, hold_session, start_session

__all__ = [
    "LONGEST_MESSAGE",
    "NewSession",
    "answer_approval",
    "answer_question",
    "cancel_turn",
    "delete_schedule",
    "hold_session",
    "post_message",
    "resolve_plan",
    "start_session",
    "stop_task",
]
