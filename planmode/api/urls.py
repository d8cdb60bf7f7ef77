"""The API's addresses of sessions and revisions."""

from django.urls import path

from planmode.api.revisions import RawView, RevisionsView, RevisionView
from planmode.api.sessions import EventsView, MessagesView, SessionsView, SessionView

urlpatterns = [
    path("sessions", SessionsView.as_view(), name="api-sessions"),
    path("sessions/<str:session_id>", SessionView.as_view(), name="api-session"),
    path("sessions/<str:session_id>/events", EventsView.as_view(), name="api-events"),
    path("sessions/<str:session_id>/messages", MessagesView.as_view(), name="api-messages"),
    path("sessions/<str:session_id>/revisions", RevisionsView.as_view(), name="api-revisions"),
    path("revisions/<str:revision_id>", RevisionView.as_view(), name="api-revision"),
    path("revisions/<str:revision_id>/raw", RawView.as_view(), name="api-raw"),
]
