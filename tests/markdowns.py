"""Plans as people and agents write them, made at random."""

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        "keep", "the **parser**", "`code`", "[a]", "[text][b]", "[x](https://x.example/y)",
        "~~old~~",
        "登录", "<b>", "a_b", "*one*", "&amp;", "[^1]", "\\*", "https://a.example", "|", "[ ]",
    ]
)  # fmt: skip
_LINE = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)
_LINES = st.lists(_LINE, min_size=1, max_size=3)


def _quoted(lines: list[str]) -> str:
    return "\n".join(f"> {line}" for line in lines)


def _listed(sign: str) -> st.SearchStrategy[str]:
    item = st.one_of(
        _LINE,
        st.tuples(_LINE, _LINE).map("\n  ".join),
        st.tuples(_LINE, _LINE).map("\n  - ".join),
        st.tuples(_LINE, _LINE).map("\n\n  ".join),
        _LINE.map(lambda line: f"{line}\n  ```py\n  x = 1\n\n  y\n  ```"),
    )
    gaps = st.sampled_from(["\n", "\n\n"])
    items = st.lists(item.map(lambda text: f"{sign} {text}"), min_size=1, max_size=3)
    return st.tuples(items, gaps).map(lambda both: both[1].join(both[0]))


_BLOCK = st.one_of(
    _LINES.map("\n".join),
    st.tuples(st.sampled_from(["#", "##", "###"]), _LINE).map(" ".join),
    st.tuples(_LINE, st.sampled_from(["===", "---"])).map("\n".join),
    _listed("-"),
    _listed("1."),
    _listed("*"),
    _LINES.map(_quoted),
    _LINES.map(lambda lines: "    " + "\n    ".join(lines)),
    _LINES.map(lambda lines: "```python\n" + "\n\n".join(lines) + "\n```"),
    st.just("| a | b |\n|---|---|\n| 1 | 2 |"),
    st.just("***"),
    st.sampled_from(["[a]: https://a.example", "[b]: https://b.example 'B'", "[^1]: a note"]),
)
_GAP = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \n", "\r\n\r\n"])


@st.composite
def plans(draw: st.DrawFn) -> str:
    """Return a plan: blocks of all kinds, parted by more or less."""
    parts = [draw(_BLOCK) + draw(_GAP) for _ in range(draw(st.integers(0, 7)))]
    return "".join(parts)
