"""The URL table."""

from django.contrib import admin
from django.urls import include, path, re_path

from config.problem_pages import problem_page
from reviews.api.unknown import UnknownAddressView

urlpatterns = [
    path("", include("reviews.urls")),
    path("api/v1/", include("planmode.api.urls")),
    path("api/v1/", include("reviews.api.urls")),
    path("admin/", admin.site.urls),
    path("problems/<str:code>", problem_page, name="problem"),
    re_path(r"^api/", UnknownAddressView.as_view()),
]
