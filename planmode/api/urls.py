"""The API's addresses of sessions and revisions."""

from django.urls import path

from planmode.api.revisions import RawView, RevisionsView, RevisionView
from planmode.api.sessions import EventsView, MessagesView, SessionsView, SessionView
from planmode.api.steering import CommandsView, ForkView, PlanView, RetryView, UndoView

urlpatterns = [
    path("sessions", SessionsView.as_view(), name="api-sessions"),
    path("sessions/<str:session_id>", SessionView.as_view(), name="api-session"),
    path("sessions/<str:session_id>/events", EventsView.as_view(), name="api-events"),
    path("sessions/<str:session_id>/messages", MessagesView.as_view(), name="api-messages"),
    path("sessions/<str:session_id>/commands", CommandsView.as_view(), name="api-commands"),
    path("sessions/<str:session_id>/plan", PlanView.as_view(), name="api-plan"),
    path("sessions/<str:session_id>/retry", RetryView.as_view(), name="api-retry"),
    path("sessions/<str:session_id>/undo", UndoView.as_view(), name="api-undo"),
    path("sessions/<str:session_id>/fork", ForkView.as_view(), name="api-fork"),
    path("sessions/<str:session_id>/revisions", RevisionsView.as_view(), name="api-revisions"),
    path("revisions/<str:revision_id>", RevisionView.as_view(), name="api-revision"),
    path("revisions/<str:revision_id>/raw", RawView.as_view(), name="api-raw"),
]
