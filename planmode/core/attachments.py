"""Files that go with a message: which are taken, and as what."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from planmode.core.errors import AttachmentRefusedError
from planmode.core.events import Attachment
from prompts.unseen import UNSEEN

MOST: Final = 10
"""Files of one message."""
TIMES_THE_LARGEST: Final = 4
"""So many times the largest file may all files of a message have together."""
LONGEST_NAME: Final = 120
"""Characters."""

_MAGIC: Final = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff")),
    ("image/gif", re.compile(rb"GIF8[79]a")),
    ("image/webp", re.compile(rb"RIFF.{4}WEBP", re.DOTALL)),
    ("application/pdf", re.compile(rb"%PDF-")),
)
BINARY: Final = frozenset(kind for kind, _ in _MAGIC)
"""What a model is sent as it is; everything else is text, and sent as that."""
_ENDS: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
}
_MARKDOWN: Final = (".md", ".markdown")
_UNWANTED: Final = re.compile(rf"[{UNSEEN}\s]+")


@dataclass(frozen=True, slots=True)
class NewAttachment:
    """A file as somebody sends it; ``media_type`` is what they say it is, or empty."""

    name: str
    content: bytes
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class AttachmentLimits:
    """Which media types are taken, and how many bytes one file may have."""

    types: Collection[str]
    largest: int


def checked(given: Sequence[NewAttachment], limits: AttachmentLimits) -> tuple[Attachment, ...]:
    """Return ``given``, in their order, as the log names them.

    What a file is its first bytes say; the sender's word only tells texts from each other.

    Raises:
        AttachmentRefusedError: there are too many, or one is too large, empty, or of a type that
            is not taken.
    """
    if len(given) > MOST:
        raise AttachmentRefusedError(f"{len(given)} files, the limit is {MOST}")
    total = sum(len(item.content) for item in given)
    if total > limits.largest * TIMES_THE_LARGEST:
        most = limits.largest * TIMES_THE_LARGEST
        raise AttachmentRefusedError(f"the files have {total} bytes together, the limit is {most}")
    return tuple(_checked(item, number, limits) for number, item in enumerate(given, start=1))


def _checked(item: NewAttachment, number: int, limits: AttachmentLimits) -> Attachment:
    name, size = safe_name(item.name, number), len(item.content)
    if not size:
        raise AttachmentRefusedError(f"{name} is empty")
    if size > limits.largest:
        raise AttachmentRefusedError(f"{name} has {size} bytes, the limit is {limits.largest}")
    kind = _kind(item, name)
    if kind not in limits.types:
        taken = ", ".join(sorted(limits.types))
        found = kind or _unknown(item, name)
        raise AttachmentRefusedError(f"{name} is {found}; taken are: {taken}")
    return Attachment(name, kind, hashlib.sha256(item.content).hexdigest(), size)


def _kind(item: NewAttachment, name: str) -> str:
    """Return the media type that the bytes have; empty where they are neither known nor text."""
    found = next((kind for kind, magic in _MAGIC if magic.match(item.content)), "")
    if found:
        return found
    try:
        text = item.content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if "\0" in text:
        return ""
    said = _said(item, name)
    if said in BINARY:  # it says to be an image, and is none
        return ""
    return said or ("text/markdown" if name.lower().endswith(_MARKDOWN) else "text/plain")


def _said(item: NewAttachment, name: str) -> str:
    """Return the media type that the sender gives, else the one that the name's end stands for."""
    said = item.media_type.partition(";")[0].strip().lower()
    return said or _ENDS.get(PurePosixPath(name).suffix.lower(), "")


def _unknown(item: NewAttachment, name: str) -> str:
    """Return what is wrong with a file whose bytes have no known type."""
    said = _said(item, name)
    if said not in BINARY:
        return "of no known type"
    family, _, form = said.partition("/")
    thing = "image" if family == "image" else "file"
    return f"not what it is called: its bytes are no {form.upper()} {thing}"


def safe_name(name: str, number: int) -> str:
    """Return the last part of ``name``, without what nobody sees; file ``number`` has some name."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    shown = "".join(c if c.isprintable() else " " for c in _UNWANTED.sub(" ", last)).strip(" .")
    if not shown:
        return f"file {number}"
    if len(shown) <= LONGEST_NAME:
        return shown
    stem, dot, end = shown.rpartition(".")
    end = f"{dot}{end}" if stem and len(end) <= 10 else ""  # noqa: PLR2004 - no suffix is longer
    return f"{shown[: LONGEST_NAME - 1 - len(end)]}…{end}"
