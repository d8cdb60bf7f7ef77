"""The pages' URLs."""

from django.urls import URLPattern, path

from reviews.pages import (
    account,
    audit,
    cards,
    draft,
    history,
    queue,
    review,
    session,
    starting,
    steering,
    telemetry,
)

urlpatterns: list[URLPattern] = [
    path("", queue.queue, name="queue"),
    path("queue/rows", queue.rows, name="queue-rows"),
    path("reviews/<uuid:review_id>", review.review, name="review"),
    path("reviews/<uuid:review_id>/state", review.state, name="review-state"),
    path("reviews/<uuid:review_id>/decision", review.decide, name="review-decision"),
    path("questions/<uuid:question_id>", cards.question, name="question"),
    path("questions/<uuid:question_id>/answer", cards.answer_question, name="question-answer"),
    path("approvals/<uuid:approval_id>", cards.approval, name="approval"),
    path("approvals/<uuid:approval_id>/answer", cards.answer_approval, name="approval-answer"),
    path("sessions", session.sessions, name="sessions"),
    path("sessions/new", starting.start, name="session-new"),
    path("sessions/<uuid:session_id>", session.session, name="session"),
    path("sessions/<uuid:session_id>/lines/<slug:key>", session.line, name="session-line"),
    path("sessions/<uuid:session_id>/timeline", session.lines, name="session-timeline"),
    path("sessions/<uuid:session_id>/state", session.state, name="session-state"),
    path("sessions/<uuid:session_id>/messages", steering.say, name="session-messages"),
    path("sessions/<uuid:session_id>/cancel", steering.cancel, name="session-cancel"),
    path("sessions/<uuid:session_id>/retry", steering.retry, name="session-retry"),
    path(
        "sessions/<uuid:session_id>/plan-mode",
        steering.choose_plan_mode,
        name="session-plan-mode",
    ),
    path(
        "sessions/<uuid:session_id>/permission-mode",
        steering.choose_permission_mode,
        name="session-permission-mode",
    ),
    path("sessions/<uuid:session_id>/plan", draft.edit, name="session-plan"),
    path("sessions/<uuid:session_id>/plan/clear", steering.clear_plan, name="session-plan-clear"),
    path("sessions/<uuid:session_id>/tasks/stop", steering.stop_task, name="session-task-stop"),
    path(
        "sessions/<uuid:session_id>/schedules/delete",
        steering.delete_schedule,
        name="session-schedule-delete",
    ),
    path("sessions/<uuid:session_id>/back/<int:seq>", history.go_back, name="session-back"),
    path("sessions/<uuid:session_id>/undo", history.undo, name="session-undo"),
    path("sessions/<uuid:session_id>/fork", history.fork, name="session-fork"),
    path("audit", audit.audit, name="audit"),
    path("telemetry", telemetry.telemetry, name="telemetry"),
    path("login", account.log_in, name="login"),
    path("logout", account.log_out, name="logout"),
    path("theme", account.theme, name="theme"),
]
