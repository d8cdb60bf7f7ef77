"""Static files, answered whole."""

from pathlib import Path

import pytest
from django.test import Client, RequestFactory
from whitenoise.responders import StaticFile

from config.static import StaticFiles


def test_a_file_comes_whole_with_whitenoises_headers(client: Client) -> None:
    got = client.get("/static/app.css")
    assert got.status_code == 200
    assert not got.streaming
    assert got["Content-Type"].startswith("text/css")
    assert "max-age" in got["Cache-Control"]
    assert b"--canvas" in got.content


def test_an_unchanged_file_is_not_sent_again(client: Client) -> None:
    first = client.get("/static/app.css")
    again = client.get("/static/app.css", headers={"If-Modified-Since": first["Last-Modified"]})
    assert again.status_code == 304
    assert again.content == b""


def test_nothing_outside_the_folder_is_served(client: Client) -> None:
    """S01: a path that climbs out is no static file."""
    assert client.get("/static/../manage.py").status_code == 404


@pytest.fixture
def known(tmp_path: Path) -> tuple[Path, StaticFile]:
    """Return a file, and what WhiteNoise learned of it at the start."""
    path = tmp_path / "app.css"
    path.write_text("a { }")
    return path, StaticFile(str(path), [("Content-Type", "text/css")])


@pytest.mark.parametrize("later", ["a { } b { }", "a", ""], ids=["longer", "shorter", "empty"])
def test_a_file_that_changed_has_the_length_of_what_is_sent(
    later: str, known: tuple[Path, StaticFile]
) -> None:
    path, file = known
    path.write_text(later)
    got = StaticFiles.serve(file, RequestFactory().get("/static/app.css"))
    assert got.content.decode() == later
    assert got["Content-Length"] == str(len(later))


def test_a_head_tells_the_length_and_sends_nothing(known: tuple[Path, StaticFile]) -> None:
    got = StaticFiles.serve(known[1], RequestFactory().head("/static/app.css"))
    assert (got["Content-Length"], got.content) == ("5", b"")
