"""Keys in templates: hooks for actions, hints, and the help."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import template
from django.contrib.auth.models import AnonymousUser
from django.utils.functional import Promise
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from reviews.core.keymap import SHORTCUTS, settled
from reviews.models import Preferences

register = template.Library()

DOES: Final[Mapping[str, Promise]] = {
    "help": _("list the keys"),
    "search": _("search, or find in the plan"),
    "go-queue": _("go to the queue"),
    "go-archive": _("go to what was decided"),
    "go-audit": _("go to the audit list"),
    "go-telemetry": _("go to telemetry"),
    "next": _("next row or block"),
    "previous": _("previous row or block"),
    "open": _("open the row, or the remark at the block"),
    "refresh": _("show what is new"),
    "next-part": _("next tab, open remark or revision"),
    "previous-part": _("previous tab, open remark or revision"),
    "view": _("next view, or another density of the list"),
    "select": _("select the row"),
    "extend-next": _("select on to the next row"),
    "extend-previous": _("select on to the previous row"),
    "unread": _("mark as unread"),
    "assign": _("assign to me"),
    "snooze": _("snooze"),
    "next-change": _("next change"),
    "previous-change": _("previous change"),
    "next-unseen": _("next block not yet seen"),
    "comment": _("comment on the block"),
    "comment-selection": _("comment on the selected text"),
    "comment-plan": _("comment on the whole plan"),
    "suggest": _("suggest other text"),
    "reply": _("reply to the remark"),
    "compare": _("choose revisions to compare"),
    "approve": _("Approve…"),
    "revise": _("Request changes…"),
    "reject": _("Reject…"),
    "option-1": _("choose option 1"),
    "option-2": _("choose option 2"),
    "option-3": _("choose option 3"),
    "extend": _("give the review more time"),
}
"""What each action of the keyboard map does; none of them decides."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A line of the help."""

    action: str
    key: str
    does: str


def keys_of(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of the person who looks at the page."""
    request = context.get("request")
    return settled(Preferences.objects.of(getattr(request, "user", AnonymousUser())).keys)


@register.simple_tag(takes_context=True)
def key_rows(context: Mapping[str, Any]) -> list[KeyRow]:
    """Return the actions that have a key, in the order of the table."""
    keys = keys_of(context)
    return [
        KeyRow(one.action, keys[one.action], str(DOES[one.action]))
        for one in SHORTCUTS
        if keys[one.action]
    ]


@register.simple_tag(takes_context=True)
def key_map(context: Mapping[str, Any]) -> SafeString:
    """Return the keys for the script: data that nothing runs."""
    return json_script(keys_of(context), "key-map")


@register.simple_tag(takes_context=True)
def hook(context: Mapping[str, Any], *name: object) -> SafeString:
    """Return the attributes that give an element to the action called ``name`` (its parts joined).

    Nothing, when there is no such action: not everything has a key.
    """
    action = "".join(str(part) for part in name)
    key = keys_of(context).get(action)
    if key is None:
        return SafeString("")
    if len(key) != 1:  # what is pressed one after the other has no name in ARIA
        return format_html('data-action="{}"', action)
    shown = f"Shift+{key}" if key.isalpha() and key.isupper() else key
    return format_html('data-action="{}" aria-keyshortcuts="{}"', action, shown)


@register.simple_tag(takes_context=True)
def key(context: Mapping[str, Any], *name: object) -> SafeString:
    """Return the hint that a button shows: the action's key, nothing when it has none."""
    pressed = keys_of(context).get("".join(str(part) for part in name))
    if not pressed:
        return SafeString("")
    return format_html('<kbd class="hint" aria-hidden="true">{}</kbd>', pressed)
