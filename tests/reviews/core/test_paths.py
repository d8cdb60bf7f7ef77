"""Which files and folders a plan names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.paths import LONGEST_PATH, MOST_PATHS, Named, named


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        pytest.param("Edit parser.py", ["parser.py"], id="a file"),
        pytest.param("Edit src/app/parser.py.", ["src/app/parser.py"], id="a full stop behind it"),
        pytest.param("`parser.py:12` and parser.py:40", ["parser.py"], id="line numbers"),
        pytest.param("./a.py, b.ts; (c.go)", ["a.py", "b.ts", "c.go"], id="several"),
        pytest.param("修改src/a.py文件", ["src/a.py"], id="in Chinese, without blanks"),
        pytest.param("Look at `src/app/` and src/app", ["src/app/"], id="a quoted folder"),
        pytest.param("either/or, and/or, n/a, 1/2", [], id="no paths at all"),
        pytest.param("Read https://example.org/a.html and a//b.py", [], id="an address"),
        pytest.param("/etc/passwd.txt ~/x.py ../up.py -x.py @a/b.js", ["../up.py"], id="outside"),
        pytest.param("Node.js and vue.js, e.g. 1.2.3", [], id="products and versions"),
        pytest.param(
            "config/.env, but no .env alone", ["config/.env"], id="a name that is one ending"
        ),
        pytest.param("x" * LONGEST_PATH + ".py", [], id="longer than a path is"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_paths_of_a_line(line: str, paths: list[str]) -> None:
    assert [path.path for path in named([line])] == paths


def test_each_path_stands_once_with_its_first_line() -> None:
    lines = ["# Plan", "Create tests/test_a.py", "Edit a.py", "新建 b.py", "Edit tests/test_a.py"]
    assert named(lines) == (
        Named("tests/test_a.py", 2, new=True),
        Named("a.py", 3, new=False),
        Named("b.py", 4, new=True),
    )


def test_there_is_an_end_of_them() -> None:
    assert len(named([f"file{number}.py" for number in range(500)])) == MOST_PATHS


@given(st.lists(st.text(max_size=80), max_size=20))
def test_whatever_a_plan_says(lines: list[str]) -> None:
    found = named(lines)
    assert len({path.path for path in found}) == len(found)
    assert all(path.path in lines[path.line - 1] for path in found)
    assert all(path.is_file or "/" in path.path for path in found)
