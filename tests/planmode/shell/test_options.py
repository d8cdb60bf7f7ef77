"""Rows of options, and calls that use them."""

import pytest

from planmode.shell.options import RefusedError, permissions, table, use
from planmode.shell.policy import Permission
from planmode.shell.words import Word, plain

ROWS = table("""
plain: -a -b -n= -c? --long --size= --color?
    --more@dd; digits; most 1
free, open: -a; loose
only: -t -x; one_of -t -x; needs dd
around: -n=; wraps
""")
UNKNOWN = Word("$x", "", whole=False, many=True, injects=True)
QUOTED = Word("$x", "", whole=False)
PATTERN = Word("a*", "a", whole=False, many=True)


def words(text: str) -> list[Word]:
    return [plain(word) for word in text.split()]


@pytest.mark.parametrize(
    ("call", "options", "operands"),
    [
        ("-ab x", ["-a", "-b"], ["x"]),
        ("-an 5", ["-a", "-n=5"], []),
        ("-n5 -20 -", ["-n=5", "-20"], ["-"]),
        ("-n -5", ["-n=-5"], []),
        ("-c -cx", ["-c", "-c=x"], []),
        ("--long --size=3 --size 4", ["--long", "--size=3", "--size=4"], []),
        ("--color --color=never", ["--color", "--color=never"], []),
        ("x -a", ["-a"], ["x"]),
        ("-a -- -b", ["-a"], ["-b"]),
    ],
)
def test_options_and_operands(call: str, options: list[str], operands: list[str]) -> None:
    used = use(ROWS["plain"], words(call))
    found = [name if value is None else f"{name}={value.text}" for name, value in used.options]
    assert (found, [word.text for word in used.operands]) == (options, operands)


@pytest.mark.parametrize(
    ("row", "call"),
    [
        ("plain", "-z"),
        ("plain", "-az"),
        ("plain", "--lon"),
        ("plain", "--long=1"),
        ("plain", "--unknown=1"),
        ("plain", "-n"),
        ("plain", "-n -a"),
        ("plain", "x y"),
        ("only", "x"),
        ("free", "-b"),
    ],
)
def test_what_is_not_listed_is_refused(row: str, call: str) -> None:
    with pytest.raises(RefusedError):
        use(ROWS[row], words(call))


@pytest.mark.parametrize(
    "call",
    [
        [UNKNOWN],
        [QUOTED],
        [Word("-$x", "-", whole=False)],
        [Word("-a$x", "-a", whole=False)],
        [Word("-n$x", "-n", whole=False, many=True, injects=True)],
        [Word("--$x", "--", whole=False)],
        [plain("-n"), UNKNOWN],
        [plain("-n"), PATTERN],
        [PATTERN],
    ],
)
def test_a_word_that_could_become_an_option_is_refused(call: list[Word]) -> None:
    with pytest.raises(RefusedError):
        use(ROWS["plain"], call)


def test_an_unknown_value_in_quotes_stays_a_value() -> None:
    used = use(ROWS["plain"], [plain("-n"), QUOTED, Word("-n$x", "-n", whole=False)])
    assert [name for name, _ in used.options] == ["-n", "-n"]
    assert use(ROWS["plain"], [Word("--size=$x", "--size=", whole=False)]).has("--size")
    assert use(ROWS["plain"], [plain("--"), QUOTED]).operands == (QUOTED,)


def test_a_command_without_dangerous_options_takes_unknown_words() -> None:
    assert use(ROWS["open"], [UNKNOWN, QUOTED, PATTERN]).operands == (UNKNOWN, QUOTED, PATTERN)


def test_the_first_operand_of_a_wrapper_ends_its_options() -> None:
    used = use(ROWS["around"], words("-n 1 cat -n"))
    assert [word.text for word in used.operands] == ["cat", "-n"]
    assert use(ROWS["around"], words("-- -x")).operands == (plain("-x"),)


def test_permissions_of_a_row_and_of_an_option() -> None:
    assert permissions(ROWS["only"], use(ROWS["only"], words("-t"))) == [Permission.DD]
    assert permissions(ROWS["plain"], use(ROWS["plain"], words("--more -3"))) == [Permission.DD]
    assert permissions(ROWS["plain"], use(ROWS["plain"], words("-a"))) == []


def test_values_are_found_by_name() -> None:
    used = use(ROWS["plain"], words("-n 1 --size=2 -a"))
    assert [word.text for word in used.values("-n", "--size", "-a")] == ["1", "2"]
