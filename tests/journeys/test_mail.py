"""E-mail leaves the running program by itself."""

import re
from pathlib import Path

from tests.journeys.room import PATIENCE_MS, submits
from tests.postbox import Postbox, postbox
from tests.processes import EmbeddedServer

ADDRESS = """
from django.contrib.auth.models import User
User.objects.filter(username="reviewer").update(email="reviewer@example.org")
"""


def arrived(box: Postbox) -> str:
    """Return the text of the first e-mail."""
    assert box.arrived.wait(PATIENCE_MS / 1000), "no e-mail came"
    body = box.messages[0].get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_a_plan_that_waits_is_mailed_to_who_may_decide(tmp_path: Path) -> None:
    """The server's own poller finds the notice, a thread of its worker sends it."""
    with postbox() as box:
        env = {
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(box.port),
            "EMAIL_SECURITY": "none",
            "SWEEP_S": "1",
        }
        with EmbeddedServer(tmp_path, env) as server:
            owner = server.people()["operator"]
            server.shell(ADDRESS)
            model = server.script("mailed", submits("# A plan by mail\n\nSecret step\n"))
            server.start_session(owner, model)
            text = arrived(box)
        assert "Waits for a decision: A plan by mail" in text
        assert re.search(r"http://\S+/reviews/[0-9a-f-]{36}", text)
        assert "Secret step" not in text
