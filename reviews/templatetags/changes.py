"""Drawn changes, with words for those who do not see the marks."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reviews.core.fragments import COME, GONE

register = template.Library()


@register.filter
def drawn(html: str) -> SafeString:
    """Return ``html`` of ``reviews.changes``, its marks said in words, too.

    What is kept for everybody has no words, since it has no language; and the marks are such that
    no plan's own text can have them.
    """
    for mark, said in ((GONE, _("removed:")), (COME, _("added:"))):
        html = html.replace(mark, f'{mark}<span class="sr">{escape(said)} </span>')
    return SafeString(html)
