"""Where a link leads is said, or there is no link."""
# ruff: noqa: E501 - a row of a table is a line

import pytest

from reviews.core.links import leads_to


@pytest.mark.parametrize(
    ("target", "place"),
    [
        pytest.param("https://a.example", "a.example", id="https"),
        pytest.param("HTTP://A.example:8000/x?y#z", "a.example", id="http, with everything"),
        pytest.param("https://bank.example@evil.example/", "evil.example", id="a name before the host"),
        pytest.param("https://evil.example/@bank.example", "evil.example", id="a name behind the host"),
        pytest.param("https://\u0430pple.example", "xn--pple-43d.example", id="a letter that looks alike"),
        pytest.param("mailto:a@b.example?subject=x", "a@b.example", id="mail"),
        pytest.param("https://evil.example\\@bank.example", "", id="browsers take this for a slash"),
        pytest.param("https:///evil.example", "", id="no host"),
        pytest.param("https://[::1]/", "", id="a number in brackets"),
        pytest.param("https://%65vil.example", "", id="a host in code"),
        pytest.param("https://a..example", "", id="no name of a host"),
        pytest.param("https://a\u2100b.example", "", id="a letter that becomes a slash"),
        pytest.param("https://a.example/b c", "", id="a blank"),
        pytest.param("https://a.example/\n", "", id="a line end"),
        pytest.param("//a.example", "", id="no scheme"),
        pytest.param("/reviews/1", "", id="our own pages"),
        pytest.param("#top", "", id="a place on the page"),
        pytest.param("javascript:alert(1)", "", id="script"),
        pytest.param("data:text/html,x", "", id="data"),
        pytest.param("mailto:", "", id="mail to nobody"),
        pytest.param("", "", id="nothing"),
    ],
)  # fmt: skip
def test_leads_to(target: str, place: str) -> None:
    assert leads_to(target) == place
