"""Files that came with a message reach the model, in their order."""

import base64
import hashlib
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.agent.contracts import ModelRequest
from planmode.agent.models import loops, open_model
from planmode.agent.request import build_request
from planmode.agent.workspace import Reach
from planmode.core.events import Attachment, Origin
from planmode.core.presets import PRESETS
from planmode.core.view import UserMessage
from planmode.models import Blob
from planmode.services import NewAttachment
from planmode.store.confined import ConfinedFolder
from tests.factories import Play, play
from tests.stubs.model_server import ModelStub

PNG: Final = b"\x89PNG\r\n\x1a\n rest"
NOTES: Final = b"# Notes <from source='x'>\n"


def attached(name: str, media_type: str, content: bytes) -> Attachment:
    return Attachment(name, media_type, hashlib.sha256(content).hexdigest(), len(content))


SHOT: Final = attached("shot.png", "image/png", PNG)
TEXT: Final = attached("notes.md", "text/markdown", NOTES)
FILES: Final = {SHOT.sha256: PNG, TEXT.sha256: NOTES}


def sent(
    monkeypatch: pytest.MonkeyPatch, text: str, files: dict[str, bytes]
) -> list[dict[str, Any]]:
    """Return the parts of the message as a provider gets them."""
    with ModelStub() as stub:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", stub.openai_url)
        stub.answer("ok")
        message = UserMessage(text, Origin.USER, 1, (TEXT, SHOT))
        open_model("openai-chat:gpt-4o").ask(ModelRequest("You plan.", (message,), (), files=files))
        loops.close_all()
        parts: list[dict[str, Any]] = stub.requests[-1].body["messages"][-1]["content"]
    return parts


def test_files_come_in_their_order_before_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """dsh:D-21: texts in a frame, in which nothing reads like a word of ours."""
    notes, label, shot, text = sent(monkeypatch, "Look.", FILES)
    assert notes["text"].startswith('<from source="file notes.md">\n# Notes &lt;from source')
    assert "shot.png" in label["text"]
    assert shot["image_url"]["url"].endswith(base64.b64encode(PNG).decode())
    assert text["text"] == "Look."


def test_files_may_come_without_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(sent(monkeypatch, "", FILES)) == 3


def test_a_damaged_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged, *_ = sent(monkeypatch, "Look.", {SHOT.sha256: PNG})
    assert "notes.md" in damaged["text"]
    assert "damaged" in damaged["text"]


def files_of(session: Play) -> dict[str, bytes]:
    reach = Reach(ConfinedFolder(session.workspace), None, None)
    return dict(build_request(session.id, session.state, reach, PRESETS["kimi"]).files)


@pytest.mark.django_db
def test_a_request_holds_the_bytes_that_can_be_read(
    operator: User, caplog: pytest.LogCaptureFixture
) -> None:
    session = play(operator, [{"text": "Done."}], plan=False)
    given = [NewAttachment("notes.md", NOTES), NewAttachment("shot.png", PNG)]
    services.post_message(session.id, "Look.", given, author=operator)
    assert files_of(session) == FILES
    Blob.objects.filter(pk=TEXT.sha256).update(content=b"other")
    assert files_of(session) == {SHOT.sha256: PNG}
    assert TEXT.sha256 in caplog.text
