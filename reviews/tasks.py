"""Celery's door of the desk: what may come twice, late, or never."""

from celery import shared_task
from django.utils import timezone

from reviews import mails, notices, services


@shared_task(ignore_result=True)
def expire_reviews() -> None:
    """Park the reviews whose deadline is over; nothing is ever approved by silence."""
    services.expire_due(timezone.now())


@shared_task(ignore_result=True)
def tell_of_deadlines() -> None:
    """Note who is to be told that a review expires soon, each of them once."""
    notices.tell_of_deadlines(timezone.now())


@shared_task(ignore_result=True)
def send_notices() -> None:
    """Send the e-mail that is due; what the mail server does not take is tried again later."""
    mails.send_due(timezone.now())
