"""The access table: one object and a list of them are judged alike."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from planmode.access.may import (
    TABLE,
    TOKEN_READS,
    TOKEN_ROLES,
    TOKEN_SUBMITS,
    Action,
    Caller,
    Owned,
    Reach,
    caller_of,
    may,
    may_anywhere,
    visible,
)
from planmode.access.models import Project, Role
from planmode.access.tokens import issue
from planmode.models import Session
from tests.conftest import member

THING = Owned(project_id=1, owner_id=7)


def test_the_table_knows_every_action_and_only_known_roles() -> None:
    assert set(TABLE) == set(Action)
    assert {role for row in TABLE.values() for role in row} == {*TOKEN_ROLES, *Role}


@pytest.mark.parametrize("action", [Action.DECIDE, Action.DISMISS, Action.ANSWER])
def test_no_token_ever_decides_or_answers(action: Action) -> None:
    """security:S19."""
    assert not TOKEN_ROLES & set(TABLE[action])


def test_the_feed_is_for_people() -> None:
    assert not TOKEN_ROLES & set(TABLE[Action.HEAR_FEED])


@pytest.mark.parametrize("action", Action)
def test_nobody_may_nothing(action: Action) -> None:
    assert not may(None, action, THING)
    assert not may_anywhere(None, action)


def test_a_role_for_all_projects_holds_in_each() -> None:
    caller = Caller(3, frozenset({(None, Role.REVIEWER)}))
    assert may(caller, Action.DECIDE, THING)


def test_a_role_of_another_project_holds_nowhere_else() -> None:
    caller = Caller(3, frozenset({(2, Role.REVIEWER), (2, Role.ADMIN)}))
    assert not any(may(caller, action, THING) for action in Action)


def test_an_operator_acts_on_their_own_sessions() -> None:
    roles = frozenset({(1, Role.OPERATOR.value)})
    assert may(Caller(7, roles), Action.POST_MESSAGE, THING)
    assert not may(Caller(8, roles), Action.POST_MESSAGE, THING)
    assert may(Caller(8, roles), Action.READ_PLAN, THING)


def test_roles_are_read_anew_each_time(project: Project, reviewer: User) -> None:
    """security:S44."""
    assert caller_of(reviewer) == Caller(reviewer.pk, frozenset({(project.pk, "reviewer")}))
    reviewer.memberships.all().delete()
    assert caller_of(reviewer) == Caller(reviewer.pk, frozenset())


def test_a_deactivated_person_is_nobody(reviewer: User) -> None:
    reviewer.is_active = False
    assert caller_of(reviewer) is None
    assert caller_of(AnonymousUser()) is None


@pytest.mark.parametrize(
    ("scopes", "reads", "submits"),
    [({"read"}, True, False), ({"submit"}, False, True), ({"read", "submit"}, True, True)],
)
def test_a_token_does_what_its_scopes_say(
    project: Project,
    operator: User,
    scopes: set[str],
    reads: bool,  # noqa: FBT001 - a column of the table
    submits: bool,  # noqa: FBT001
) -> None:
    token, _ = issue(operator, project, "t", scopes=frozenset(scopes))
    caller, own = caller_of(operator, token), Owned(project.pk, operator.pk)
    assert may(caller, Action.READ_PLAN, own) is reads
    assert may(caller, Action.POST_MESSAGE, own) is submits
    assert not may(caller, Action.READ_PLAN, Owned(project.pk, operator.pk + 1))


def test_a_tokens_owner_lends_it_no_role(project: Project) -> None:
    """A token is never more than a token, whoever made it."""
    everything = member(project, "all", *Role)
    token, _ = issue(everything, project, "t", scopes=frozenset({"read", "submit"}))
    caller = caller_of(everything, token)
    assert caller is not None
    assert caller.roles == {(project.pk, TOKEN_READS), (project.pk, TOKEN_SUBMITS)}
    assert caller.by_token


@pytest.mark.parametrize(
    ("roles", "lent"),
    [
        pytest.param([], set(), id="none"),
        pytest.param([Role.MANAGER], set(), id="manager"),
        pytest.param([Role.REVIEWER], {TOKEN_READS}, id="reviewer"),
        pytest.param([Role.LEAD], {TOKEN_READS}, id="lead"),
        pytest.param([Role.ADMIN], {TOKEN_READS}, id="admin"),
        pytest.param([Role.OPERATOR], {TOKEN_READS, TOKEN_SUBMITS}, id="operator"),
    ],
)
def test_a_token_may_no_more_than_its_owner(
    project: Project, roles: list[Role], lent: set[str]
) -> None:
    """security:S16: whatever it was issued for, and at the moment of use."""
    owner = member(project, "ora", *Role)
    token, _ = issue(owner, project, "t", scopes=frozenset({"read", "submit"}))
    owner.memberships.exclude(role__in=roles).delete()
    caller = caller_of(owner, token)
    assert caller is not None
    assert caller.roles == {(project.pk, role) for role in lent}


def test_a_role_in_another_project_lends_a_token_nothing(project: Project) -> None:
    owner = member(Project.objects.create(name="other"), "ora", *Role)
    token, _ = issue(owner, project, "t", scopes=frozenset({"read", "submit"}))
    caller = caller_of(owner, token)
    assert caller is not None
    assert not caller.roles


class TestListsAgreeWithSingleObjects(TestCase):
    """security:S36: what a list shows is exactly what may be looked at one by one."""

    sessions: list[Session]

    @classmethod
    def setUpTestData(cls) -> None:
        people = [User.objects.create(username=name) for name in ("ann", "bob")]
        projects = [Project.objects.create(name=name) for name in ("red", "blue")]
        cls.sessions = [
            Session.objects.create(project=project, owner=person, title="t", model="m")
            for project in projects
            for person in people
        ]

    @given(
        action=st.sampled_from(Action),
        owner=st.integers(0, 3),
        roles=st.sets(
            st.tuples(st.sampled_from([None, 0, 3]), st.sampled_from([*Role, *TOKEN_ROLES])),
            max_size=4,
        ),
    )
    def test_visible_is_may_for_each_row(
        self, action: Action, owner: int, roles: set[tuple[int | None, str]]
    ) -> None:
        held = frozenset(
            (None if where is None else self.sessions[where].project_id, str(role))
            for where, role in roles
        )
        caller = Caller(self.sessions[owner].owner_id, held)
        listed = Session.objects.filter(visible(caller, action, project="project", owner="owner"))
        allowed = {
            session.pk
            for session in self.sessions
            if may(caller, action, Owned(session.project_id, session.owner_id))
        }
        assert {session.pk for session in listed} == allowed
        assert may_anywhere(caller, action) or not allowed


def test_reach_own_needs_an_owner() -> None:
    caller = Caller(7, frozenset({(1, Role.OPERATOR.value)}))
    assert TABLE[Action.CANCEL_TURN][Role.OPERATOR] is Reach.OWN
    assert not may(caller, Action.CANCEL_TURN, Owned(1))
