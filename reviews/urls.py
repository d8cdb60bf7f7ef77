"""The pages' URLs."""

from django.urls import URLPattern, path

from reviews.pages import account, audit, cards, queue, review, session, telemetry

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
    path("sessions/<uuid:session_id>", session.session, name="session"),
    path("sessions/<uuid:session_id>/lines/<slug:key>", session.line, name="session-line"),
    path("sessions/<uuid:session_id>/timeline", session.lines, name="session-timeline"),
    path("sessions/<uuid:session_id>/state", session.state, name="session-state"),
    path("sessions/<uuid:session_id>/messages", session.post_message, name="session-messages"),
    path("sessions/<uuid:session_id>/cancel", session.cancel, name="session-cancel"),
    path("audit", audit.audit, name="audit"),
    path("telemetry", telemetry.telemetry, name="telemetry"),
    path("login", account.log_in, name="login"),
    path("logout", account.log_out, name="logout"),
    path("theme", account.theme, name="theme"),
]
