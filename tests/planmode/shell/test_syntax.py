"""What a shell line is made of."""

import pytest

from planmode.shell.policy import Permission
from planmode.shell.syntax import parse


def words(line: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in parse(line).commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ls -l 'a b' \"c $x\" d\\ e", [["ls", "-l", "a b", "c $x", "d e"]]),
        ("ls a > f b 2>&1 c", [["ls", "a", "b", "c"]]),
        ("> f ls", [["ls"]]),
        ("ls | cat > f -n", [["ls"], ["cat", "-n"]]),
        ("ls > f $(pwd)", [["ls", "$(pwd)"], ["pwd"]]),
        ("echo $(ls $(pwd))", [["pwd"], ["ls", "$(pwd)"], ["echo", "$(ls $(pwd))"]]),
        ("[ -f a -o b = c ]", [["[", "-f", "a", "-o", "b", "=", "c", "]"]]),
        ("if ls; then pwd; else id; fi", [["ls"], ["pwd"], ["id"]]),
        ("x=$(ls) y=2 pwd", [["ls"], ["pwd"]]),
        ("cat <<'E' | id\nrm\nE\nls", [["cat"], ["id"], ["ls"]]),
        ("cat <<'E' -n\nrm\nE", [["cat", "-n"]]),
    ],
)
def test_every_command_is_found(line: str, commands: list[list[str]]) -> None:
    """pi:P-12 complaints:K-52."""
    parsed = parse(line)
    assert not parsed.doubt
    assert sorted(words(line)) == sorted(commands)


def test_redirections_and_variables_are_found() -> None:
    line = parse("x=1; A=b ls > f 2>&1 < g >&-; for i in a; do pwd; done; export B=c")
    assert [(r.operator, r.target.text) for r in line.redirections] == [
        *((">", "f"), (">&", "1"), ("<", "g"), (">&-", "")),
    ]
    assert [(a.name, a.exported) for a in line.assignments] == [
        *(("x", False), ("i", False), ("B", True)),
    ]
    assert [(a.name, a.value.text) for a in line.commands[0].assignments] == [("A", "b")]


def test_constructs_are_named_that_a_policy_decides_on() -> None:
    line = parse("cat <<< a; diff <(ls) b; while ls; do pwd; done; export")
    assert set(line.constructs) == {
        Permission.HERE_DOCUMENTS,
        Permission.SUBSTITUTIONS,
        Permission.CONTROL_FLOW,
        Permission.ENVIRONMENT,
    }


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        ("ls 'a", "its syntax is not understood"),
        ("|" * 300, "it has too many pipes or here-documents"),
        ("ls;" * 3000, "it has too many parts"),
        ("{ " * 50 + "ls" + "; }" * 50, "it is nested too deeply"),
        ("l\\\ns", "two words touch each other"),
        ("ls\v-l", "something stands between its parts"),
        ("\vls", "something stands outside of its parts"),
        ("echo a [ ]", "' ' stands inside a word"),
        ("[ a > b ]", "a test holds an operator of the shell"),
        ("[[2>x = y ]]", "[[ touches another word"),
        ("{ls; }", "{ touches another word"),
        ("((1))", "arithmetic is not understood"),
        ("(ls) > f a", "a stands behind a redirection"),
        ("ls | (id) > f a", "a stands behind a redirection"),
        ("cat <<E\n$x\nE", "a here-document expands what it holds"),
        ("cat <<E x\na", "its syntax is not understood"),
        ("f() { ls; }", "f() { ls; } is not understood"),
        ("export A", "export A is not understood"),
        ("a[0]=1", "the assignment a[0]=1 is not understood"),
        ("select x in a; do ls; done", "select is not understood"),
        ("ls #a\nls b#c", ""),
        ("echo $'\\x41'", "a string spells characters by number"),
        ('echo "`ls \\`pwd\\``"', "`ls \\`pwd\\`` is not understood"),
        ('echo $"a"', "two words touch each other"),
    ],
)
def test_what_is_not_understood_is_said(line: str, doubt: str) -> None:
    assert parse(line).doubt == doubt


@pytest.mark.parametrize(
    ("text", "start", "whole", "many", "injects"),
    [
        ("a", "a", True, False, False),
        ("'$x'", "$x", True, False, False),
        ('"a$x"', "a", False, False, False),
        ("a$x", "a", False, True, True),
        ('"$@"', "", False, True, True),
        ('"${a[@]}"', "", False, True, True),
        ("a*b", "a", False, True, False),
        ("a\\*b", "a*b", True, False, False),
        ("a{b,c}", "a", False, True, False),
        ("{}", "{}", True, False, False),
        ("a{b}", "a{b}", True, False, False),
        ("'{'a,b}", "{a,b}", True, False, False),
        ("{1..3}", "", False, True, False),
        ("$((1+2))", "", False, False, False),
        ("<(ls)", "<(ls)", True, False, False),
        ("~/a", "~/a", True, False, False),
        ('"a  ${x}  $ b\\$c\\a"', "a  ", False, False, False),
        ("a$", "a$", True, False, False),
        ("$'a\\tb'", "a\tb", True, False, False),
    ],
)
def test_what_is_known_of_a_word(
    text: str,
    start: str,
    whole: bool,  # noqa: FBT001 - columns
    many: bool,  # noqa: FBT001
    injects: bool,  # noqa: FBT001
) -> None:
    line = parse(f"echo {text}")
    word = next(c.words[1] for c in line.commands if c.words[0].text == "echo")
    assert not line.doubt
    assert (word.start, word.whole, word.many, word.injects) == (start, whole, many, injects)


def test_blanks_in_strings_are_kept() -> None:
    assert words('echo "a  ${x}  $(ls) b\\$c\\a"')[-1] == ["echo", "a  ${x}  $(ls) b$c\\a"]
