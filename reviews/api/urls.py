"""The API URLs of this floor."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
