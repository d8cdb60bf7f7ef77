"""Edit: exactly what was named, or nothing."""

import hashlib

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.core.events import PlanFileWritten
from tests.planmode.agent.tools.conftest import Ground


def test_one_place_is_replaced(ground: Ground) -> None:
    (ground.work / "a.py").write_text("a = 1\nb = 1\n")
    text = ground.text("Edit", path="a.py", old_string="a = 1", new_string="a = 2")
    assert text == "Replaced 1 occurrence in a.py."
    assert (ground.work / "a.py").read_text() == "a = 2\nb = 1\n"


def test_several_places_have_to_be_meant(ground: Ground) -> None:
    (ground.work / "a.py").write_text("x x x")
    assert "occurs 3 times" in ground.error("Edit", path="a.py", old_string="x", new_string="y")
    assert (ground.work / "a.py").read_text() == "x x x"
    text = ground.text("Edit", path="a.py", old_string="x", new_string="y", replace_all=True)
    assert text == "Replaced 3 occurrences in a.py."
    assert (ground.work / "a.py").read_text() == "y y y"


def test_text_that_is_not_there(ground: Ground) -> None:
    (ground.work / "a.py").write_text("x")
    assert "does not occur" in ground.error("Edit", path="a.py", old_string="X", new_string="y")
    assert "does not exist" in ground.error("Edit", path="b.py", old_string="X", new_string="y")


def test_line_ends_stay_as_they_are(ground: Ground) -> None:
    (ground.work / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    ground.text("Edit", path="a.txt", old_string="one\ntwo", new_string="1\n2\n2.5")
    assert (ground.work / "a.txt").read_bytes() == b"1\r\n2\r\n2.5\r\nthree\r\n"


def test_other_encodings_are_left_alone(ground: Ground) -> None:
    (ground.work / "a.txt").write_bytes(b"na\xefve x")
    assert "not UTF-8" in ground.error("Edit", path="a.txt", old_string="x", new_string="y")
    assert (ground.work / "a.txt").read_bytes() == b"na\xefve x"


def test_a_small_edit_can_not_make_a_huge_file(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("x" * 10_000)
    error = ground.error(
        "Edit", path="a.txt", old_string="x", new_string="y" * 10_000, replace_all=True
    )
    assert "larger" in error
    assert (ground.work / "a.txt").read_text() == "x" * 10_000


def test_the_size_is_counted_in_bytes(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("x")
    error = ground.error("Edit", path="a.txt", old_string="x", new_string="ä" * 600_000)
    assert "larger" in error


def test_an_edit_of_the_plan_file_is_an_event(ground: Ground) -> None:
    ground.plan.parent.mkdir(parents=True)
    ground.plan.write_text("# Plan\n")
    result = ground.result("Edit", path=str(ground.plan), old_string="Plan", new_string="Plan ✓")
    content = "# Plan ✓\n".encode()
    assert ground.plan.read_bytes() == content
    assert result.plan_bytes == content
    sha256 = hashlib.sha256(content).hexdigest()
    assert result.events == (PlanFileWritten("bold-amber-fox", sha256, len(content)),)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ('{"path": "a", "old_string": "x", "new_string": "x"}', "/ old_string and new_string"),
        ('{"path": "a", "old_string": "", "new_string": "x"}', "/old_string "),
        ('{"path": "a", "old_string": "x"}', "/new_string Field required"),
        (
            '{"path": "a", "old_string": "x", "new_string": "y", "replace_all": "yes"}',
            "/replace_all ",
        ),
    ],
)
def test_arguments_that_make_no_sense(args: str, reason: str) -> None:
    with pytest.raises(ArgumentsInvalidError) as refused:
        parse(TOOLS["Edit"], args)
    assert str(refused.value).startswith(reason)
