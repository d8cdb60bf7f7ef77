"""The API's addresses of reviews, questions and tool approvals."""

from django.urls import path, re_path

from reviews.api.approvals import ApprovalAnswerView, ApprovalsView, ApprovalView
from reviews.api.differences import DiffView
from reviews.api.questions import QuestionAnswerView, QuestionsView, QuestionView
from reviews.api.reviews import DecisionView, ExtendView, ReviewsView, ReviewView, WithdrawView
from reviews.api.unknown import UnknownAddressView

urlpatterns = [
    path("reviews", ReviewsView.as_view(), name="api-reviews"),
    path("reviews/<str:review_id>", ReviewView.as_view(), name="api-review"),
    path("reviews/<str:review_id>/diff", DiffView.as_view(), name="api-diff"),
    path("reviews/<str:review_id>/decision", DecisionView.as_view(), name="api-decision"),
    path("reviews/<str:review_id>/withdraw", WithdrawView.as_view(), name="api-withdraw"),
    path("reviews/<str:review_id>/extend", ExtendView.as_view(), name="api-extend"),
    path("questions", QuestionsView.as_view(), name="api-questions"),
    path("questions/<str:question_id>", QuestionView.as_view(), name="api-question"),
    path(
        "questions/<str:question_id>/answer",
        QuestionAnswerView.as_view(),
        name="api-question-answer",
    ),
    path("approvals", ApprovalsView.as_view(), name="api-approvals"),
    path("approvals/<str:approval_id>", ApprovalView.as_view(), name="api-approval"),
    path(
        "approvals/<str:approval_id>/answer",
        ApprovalAnswerView.as_view(),
        name="api-approval-answer",
    ),
    # The last include of this prefix: whatever nobody took.
    re_path(r"^.*$", UnknownAddressView.as_view(), name="api-unknown"),
]
