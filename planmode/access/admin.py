"""Django's admin for projects and members."""

# Not generic at run time, so the type arguments are left out. Tokens are not here: they are made on
# the command line, where they can be shown once.

from django.contrib import admin

from planmode.access.models import Membership, Project


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Projects and what they allow."""

    list_display = ("name", "allow_auto", "allow_self_review", "created_at")


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Who is what, where."""

    list_display = ("user", "project", "role")
    list_filter = ("role", "project")
    autocomplete_fields = ("user",)
