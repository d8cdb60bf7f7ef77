"""Keys in templates."""

from django.contrib.auth.models import User
from django.test import RequestFactory

from reviews.core.keymap import DEFAULTS
from reviews.models import Preferences
from reviews.templatetags.keys import DOES, hook, key, key_map, key_rows


def context(user: User | None = None) -> dict[str, object]:
    request = RequestFactory().get("/")
    if user is not None:
        request.user = user
    return {"request": request}


def test_every_action_has_its_words() -> None:
    assert list(DOES) == list(DEFAULTS)


def test_a_hook_names_the_action_and_its_key() -> None:
    assert hook(context(), "approve") == 'data-action="approve" aria-keyshortcuts="a"'
    assert hook(context(), "reject") == 'data-action="reject" aria-keyshortcuts="Shift+X"'
    assert hook(context(), "option-", 2) == 'data-action="option-2" aria-keyshortcuts="2"'
    assert hook(context(), "go-", "queue") == 'data-action="go-queue"'
    assert hook(context(), "dismiss") == ""


def test_a_hint_shows_the_key() -> None:
    assert key(context(), "revise") == '<kbd class="hint" aria-hidden="true">w</kbd>'
    assert key(context(), "dismiss") == ""


def test_a_persons_own_keys_count(reviewer: User) -> None:
    """The key may be a sign of HTML: it is a text here."""
    Preferences.objects.create(person=reviewer, keys={"approve": "<", "revise": ""})
    mine = context(reviewer)
    assert "&lt;" in hook(mine, "approve")
    assert "&lt;" in key(mine, "approve")
    assert key(mine, "revise") == ""
    assert hook(mine, "revise") == 'data-action="revise"'
    assert "revise" not in [row.action for row in key_rows(mine)]
    assert '"approve": "\\u003C"' in key_map(mine)
