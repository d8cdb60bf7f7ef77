"""The Celery application: it carries wake-ups, never work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("planmode", include=["config.workers"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
