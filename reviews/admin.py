"""Django's admin for projects and members: each change is a fact."""

# Not generic at run time, so the type arguments are left out. Tokens are not here: they are made on
# the command line, where they can be shown once.

from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from planmode.access.models import Membership, Project
from reviews import members


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Projects and what they allow. None is ever deleted."""

    list_display = ("name", "allow_auto", "allow_self_review", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:  # noqa: ANN401, ARG002 - the signature is Django's
        """Return the name of a project that exists: audit facts name it, sessions refer to it."""
        return () if obj is None else ("name",)

    def save_model(
        self,
        request: HttpRequest,
        obj: Project,
        form: Any,  # noqa: ANN401, ARG002 - the signature is Django's
        change: bool,  # noqa: FBT001 - as above
    ) -> None:
        """Keep it by the service that records who did."""
        save = members.change_policy if change else members.add_project
        save(obj, by=_person(request))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002 - as above
        """Return no: what happened in it stays."""
        return False


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Who is what, where: given and taken away, never turned into something else."""

    list_display = ("user", "project", "role")
    list_filter = ("role", "project")
    autocomplete_fields = ("user",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002 - as above
        """Return no: another role is another membership."""
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: Membership,
        form: Any,  # noqa: ANN401, ARG002 - as above
        change: bool,  # noqa: ARG002, FBT001 - as above
    ) -> None:
        """Give the role by the service that records who did."""
        members.add_member(obj, by=_person(request))

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        """Take the role away by the service that records who did."""
        members.remove_member(obj, by=_person(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        """Take several roles away, one by one."""
        for member in queryset.select_related("project"):
            members.remove_member(member, by=_person(request))


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)  # the admin site lets nobody else in
