"""Which files go with a message, and as what."""

import hashlib
from typing import Final

import pytest

from planmode.core.attachments import (
    BINARY,
    LONGEST_NAME,
    MOST,
    AttachmentLimits,
    NewAttachment,
    checked,
    safe_name,
)
from planmode.core.errors import AttachmentRefusedError
from planmode.core.events import Attachment

PNG: Final = b"\x89PNG\r\n\x1a\n rest"
LIMITS: Final = AttachmentLimits({*BINARY, "text/plain", "text/markdown"}, largest=100)


@pytest.mark.parametrize(
    ("name", "content", "said", "kind"),
    [
        pytest.param("a.png", PNG, "", "image/png", id="png"),
        pytest.param("a", b"\xff\xd8\xff\xe0", "text/plain", "image/jpeg", id="jpeg, said text"),
        pytest.param("a.gif", b"GIF89a..", "image/gif", "image/gif", id="gif"),
        pytest.param("a.webp", b"RIFF\x01\n\x03\x04WEBPVP8 ", "", "image/webp", id="webp"),
        pytest.param("a.pdf", b"%PDF-1.7", "", "application/pdf", id="pdf"),
        pytest.param("notes.MD", "# é".encode(), "", "text/markdown", id="markdown by its name"),
        pytest.param("notes", b"hi", "", "text/plain", id="text"),
        pytest.param("n", b"hi", "Text/Markdown; charset=utf-8", "text/markdown", id="as said"),
    ],
)
def test_a_file_is_what_its_bytes_say(name: str, content: bytes, said: str, kind: str) -> None:
    (found,) = checked([NewAttachment(name, content, said)], LIMITS)
    assert found == Attachment(name, kind, hashlib.sha256(content).hexdigest(), len(content))


@pytest.mark.parametrize(
    ("item", "why"),
    [
        pytest.param(NewAttachment("a.png", b"text", "image/png"), "are no PNG image", id="no PNG"),
        pytest.param(NewAttachment("a.JPG", b"text"), "are no JPEG image", id="no JPEG"),
        pytest.param(NewAttachment("a.pdf", b"\xff\xfe"), "are no PDF file", id="no PDF"),
        pytest.param(NewAttachment("a.exe", b"MZ\xff\xfe"), "no known type", id="no UTF-8"),
        pytest.param(NewAttachment("a.txt", b"a\0b"), "no known type", id="NUL"),
        pytest.param(NewAttachment("a.html", b"<p>", "text/html"), "text/html; taken", id="html"),
        pytest.param(NewAttachment("a.txt", b""), "is empty", id="empty"),
        pytest.param(NewAttachment("a.txt", b"x" * 101), "101 bytes", id="too large"),
    ],
)
def test_what_is_not_taken_says_why(item: NewAttachment, why: str) -> None:
    with pytest.raises(AttachmentRefusedError, match=why):
        checked([item], LIMITS)


def test_files_keep_their_order_and_have_limits_together() -> None:
    """dsh:D-21."""
    files = [NewAttachment(f"{n}.txt", b"x") for n in range(MOST)]
    assert [item.name for item in checked(files, LIMITS)] == [f"{n}.txt" for n in range(MOST)]
    with pytest.raises(AttachmentRefusedError, match="11 files"):
        checked([*files, files[0]], LIMITS)
    with pytest.raises(AttachmentRefusedError, match="together"):
        checked([NewAttachment("a", b"x" * 81)] * 5, LIMITS)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("plan.md", "plan.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a b.png", "a b.png"),
        ("a\u202egnp.exe", "a gnp.exe"),
        ("a\n\nb", "a b"),
        (".hidden", "hidden"),
        ("\ue000", "file 2"),
        ("", "file 2"),
        ("..", "file 2"),
        ("cafe\u0301", "caf\xe9"),
        ("x" * 200 + ".png", "x" * (LONGEST_NAME - 5) + "….png"),
        ("x" * 200, "x" * (LONGEST_NAME - 1) + "…"),
        ("x." + "y" * 200, "x." + "y" * (LONGEST_NAME - 3) + "…"),
    ],
)
def test_a_name_is_safe_to_show(name: str, safe: str) -> None:
    assert safe_name(name, 2) == safe
