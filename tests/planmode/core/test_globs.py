"""A form of names fits part by part."""

from pathlib import PurePosixPath as P

import pytest

from planmode.core.globs import matches, unfolds


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.py", "*.py", True),
        ("src/a.py", "*.py", False),
        ("src/a.py", "**/*.py", True),
        ("a.py", "**/*.py", True),
        ("src/b/c/a.py", "src/**/a.py", True),
        ("src/a.py", "src/**", True),
        ("src/b/a.py", "src/*", False),
        ("a.ts", "*.{ts,tsx}", True),
        ("b/a.tsx", "{a,b}/*.{ts,tsx}", True),
        ("c.md", "{a,{b,c}}.md", True),
        ("a.py", "{a}.py", False),
        ("{a}.py", "{a}.py", True),
        ("a1.py", "a[0-9].py", True),
        ("A.py", "a.py", False),
        ("a.py", "./a.py", True),
        (".github/w.yml", "**/*.yml", True),
        ("a" * 200, "*a" * 100 + "b", False),
    ],
)
def test_forms_of_names(path: str, pattern: str, *, fits: bool) -> None:
    assert matches(P(path), pattern) is fits


def test_a_form_with_too_many_alternatives_stays_bounded() -> None:
    assert not matches(P("x"), "{a,b}" * 40)
    assert not unfolds("{a,b}" * 40)


@pytest.mark.parametrize("pattern", ["*.py", "{a}", "{a,b}/{c,d}", "{a/b,{c,d}}", "{a,b}" * 6])
def test_a_form_with_few_alternatives_is_tried_whole(pattern: str) -> None:
    assert unfolds(pattern)
