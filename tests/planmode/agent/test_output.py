"""The beginning and the end of an output are kept."""

import pytest

from planmode.agent.output import Kept


@pytest.mark.parametrize("chunks", [[b"0123456789"], [b"01", b"23456", b"789"]])
def test_what_fits_is_kept_whole(chunks: list[bytes]) -> None:
    kept = Kept(10)
    for chunk in chunks:
        kept.take(chunk)
    assert (kept.text(), kept.cut, kept.total) == ("0123456789", False, 10)


def test_of_more_both_ends_are_kept_and_the_rest_is_counted() -> None:
    kept = Kept(5)
    for number in range(10):
        kept.take(str(number).encode())
    assert kept.text() == "01\n[… 5 bytes left out …]\n789"
    assert kept.cut
