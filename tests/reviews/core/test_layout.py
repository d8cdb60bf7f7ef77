"""Text as people write it becomes text as the renderer wants it."""
# ruff: noqa: E501 - a row of a table is a line

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.core.layout import CodeBlock, laid_out


def page(text: str) -> tuple[str, list[CodeBlock]]:
    """Return the laid-out text, code blocks as ``@0``, ``@1`` …, and these blocks."""
    blocks: list[CodeBlock] = []

    def keep(block: CodeBlock) -> str:
        blocks.append(block)
        return f"@{len(blocks) - 1}"

    return "\n".join(laid_out(text.split("\n"), keep).lines).rstrip("\n"), blocks


@pytest.mark.parametrize(
    ("text", "laid"),
    [
        pytest.param("a\nb", "a\nb", id="a paragraph"),
        pytest.param("a:\n- b", "a:\n\n- b", id="a list after a paragraph"),
        pytest.param("* a\n  + b\n    - c", "- a\n    - b\n        - c", id="lists in lists"),
        pytest.param("1) a\n   - b\n2) c", "1. a\n    - b\n2. c", id="numbers"),
        pytest.param("- a\n1. b", "- a\n\n1. b", id="another list"),
        pytest.param("- a\n\n- b", "- a\n\n- b", id="a loose list"),
        pytest.param("- a\n  - b\n- c", "- a\n    - b\n- c", id="back to the outer list"),
        pytest.param("- a\n  more\nlazy", "- a\n    more\n    lazy", id="an item of several lines"),
        pytest.param("- a\n\n  b\n\nc", "- a\n\n    b\n\nc", id="paragraphs in an item"),
        pytest.param("-     a", "- a", id="a wide gap"),
        pytest.param("- [ ] a\n- [x] b\n- [X] c\n- [y] d", "- ☐ a\n- ☑ b\n- ☑ c\n- [y] d", id="tasks"),
        pytest.param("- [x](y)", "- [x](y)", id="a link is no task"),
        pytest.param("* * *\n- - -", "* * *\n\n- - -", id="rules are no lists"),
        pytest.param("- a\n---\nb", "- a\n\n---\n\nb", id="a rule ends a list"),
        pytest.param("A\n---\nb", "A\n---\n\nb", id="an underlined heading"),
        pytest.param("a\n## B ##\nc", "a\n\n## B \n\nc", id="a heading"),
        pytest.param("# C#", "# C#", id="a heading that ends so"),
        pytest.param("#1 a", "#1 a", id="no heading"),
        pytest.param("a\n|b|c|\n|-|-|\n|d|e|", "a\n\n|b|c|\n|-|-|\n|d|e|", id="a table after a paragraph"),
        pytest.param("|b|\n|-|", "|b|\n|-|", id="a table"),
        pytest.param("a | b\nc | d\n- | -", "a | b\nc | d\n\n- | -", id="no table"),
        pytest.param("|a|\n|b|\n|-|", "|a|\n|b|\n|-|", id="a rule further down"),
        pytest.param("a\n\n    b\n\n      c", "a\n\n    b\n\n      c", id="code by its indent"),
        pytest.param("- a\n\n      b", "- a\n\n        b", id="the same in a list"),
        pytest.param("a\n        b", "a\nb", id="no code inside a paragraph"),
        pytest.param("- a\n\n\n- b", "- a\n\n\n- b", id="blank lines stay"),
    ],
)  # fmt: skip
def test_laid_out(text: str, laid: str) -> None:
    assert page(text) == (laid, [])


@pytest.mark.parametrize(
    ("text", "laid", "blocks"),
    [
        pytest.param("```\na\n```\nb", "@0\n\nb", [CodeBlock("", "a\n")], id="code"),
        pytest.param("a\n~~~ Py x\n~~~", "a\n\n@0", [CodeBlock("Py x", "")], id="with a note"),
        pytest.param("````\n```\n````", "@0", [CodeBlock("", "```\n")], id="a fence in a fence"),
        pytest.param("```\n~~~\n```", "@0", [CodeBlock("", "~~~\n")], id="another fence"),
        pytest.param("```\na\n\n", "@0", [CodeBlock("", "a\n")], id="nobody closed it"),
        pytest.param("```", "@0", [CodeBlock("", "")], id="nothing in it"),
        pytest.param("1. a\n   ```\n   b\n     c\n   ```\n2. d", "1. a\n\n    @0\n\n2. d", [CodeBlock("", "b\n  c\n")], id="in a list"),
        pytest.param("  ```\n x\n  ```", "@0", [CodeBlock("", "x\n")], id="less indented than its fence"),
        pytest.param("```a`b", "```a`b", [], id="code inside a line"),
        pytest.param("```\n- a\n# b\n```", "@0", [CodeBlock("", "- a\n# b\n")], id="nothing in code is read"),
    ],
)  # fmt: skip
def test_code(text: str, laid: str, blocks: list[CodeBlock]) -> None:
    assert page(text) == (laid, blocks)


@pytest.mark.parametrize(
    ("info", "language"), [("", ""), ("Python", "python"), ("sh rm -rf /", "sh"), ("{.x}", "{.x}")]
)
def test_language(info: str, language: str) -> None:
    assert CodeBlock(info, "").language == language


PIECES = st.lists(
    st.sampled_from(
        ["w1 ", "w2", "\n", "\n", "- ", "1. ", "> ", "# ", "  ", "    ", "```", "~~~", "|", "---", "=== "]
    )
).map("".join)  # fmt: skip


@given(text=PIECES)
@settings(deadline=None)
def test_no_word_is_lost_and_none_changes_place(text: str) -> None:
    laid, blocks = page(text)
    whole = re.sub(
        r"@(\d+)", lambda place: f"{blocks[int(place[1])].info} {blocks[int(place[1])].text}", laid
    )
    assert re.findall(r"w\d", whole) == re.findall(r"w\d", text)
