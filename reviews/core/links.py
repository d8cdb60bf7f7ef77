"""Where a link leads, said so that nobody is misled."""

import re
from typing import Final
from urllib.parse import urlsplit

SCHEMES: Final = frozenset({"http", "https", "mailto"})

_PART: Final = r"[^\s\\<>\"\[\]^`{|}]"  # what browsers change, or read in their own way, is no link
_ADDRESS: Final = re.compile(rf"https?://(?=[^/?#]){_PART}+|mailto:{_PART}+", re.IGNORECASE)
_HOST: Final = re.compile(r"[\w.-]+")


def leads_to(target: str) -> str:
    """Return whom ``target`` leads to: a host as the network knows it, or a mail address.

    Empty for all that must not become a link: other schemes, addresses relative to our own pages,
    and what two programs might read differently.
    """
    if _ADDRESS.fullmatch(target) is None:
        return ""
    if target[:7].lower() == "mailto:":
        return target[7:].partition("?")[0]
    try:
        host = urlsplit(target).hostname or ""
        return host.encode("idna").decode() if _HOST.fullmatch(host) else ""
    except ValueError:  # no address, or a name that the network can't hold
        return ""
