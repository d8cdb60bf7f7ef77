"""How a log-in becomes a person."""

from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from reviews.logins import PreferencesBackend
from reviews.models import Preferences


def test_preferences_come_along(
    reviewer: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Preferences.objects.create(person=reviewer, time_zone="Asia/Shanghai")
    with django_assert_num_queries(1):
        found = PreferencesBackend().get_user(reviewer.pk)
        assert found is not None
        assert Preferences.objects.of(found).time_zone == "Asia/Shanghai"


def test_who_chose_nothing_costs_no_second_look(
    reviewer: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        found = PreferencesBackend().get_user(reviewer.pk)
        assert found is not None
        assert Preferences.objects.of(found).time_zone == "UTC"


def test_nobody_comes_of_a_user_who_may_not_log_in(reviewer: User) -> None:
    User.objects.filter(pk=reviewer.pk).update(is_active=False)
    assert PreferencesBackend().get_user(reviewer.pk) is None
    assert PreferencesBackend().get_user(0) is None
