"""Static files, answered whole."""

from django.test import Client


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
