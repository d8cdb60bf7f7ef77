"""The texts of a line's commands, for rules."""

import pytest

from planmode.shell.verdict import read


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git push 'a b' && ls", ["git push a b", "ls"]),
        ("git -C /x -c a=b push", ["git -C /x -c a=b push", "git push"]),
        ("/bin/rm f", ["/bin/rm f", "rm f"]),
        ("timeout 5 nice rm f", ["timeout 5 nice rm f", "nice rm f", "rm f"]),
        ("env A=b rm f", ["env A=b rm f", "rm f"]),
        ("ls | xargs git push", ["ls", "xargs git push", "git push"]),
        ("rm f > g 2>&1 </dev/null >/dev/null", ["rm f", "> g"]),
        ("PATH=x LC_ALL=C rm f", ["rm f", "PATH=x"]),
        ("X=1; rm f", ["rm f", "X=1"]),
        ('echo "$(rm f)"', ["rm f", "echo $(rm f)"]),
        ("for i in a; do rm f; done", ["rm f"]),
        ("command -v rm", ["command -v rm"]),
        ("ls; ls", ["ls"]),
    ],
)
def test_rules_see_every_command(line: str, commands: list[str]) -> None:
    assert set(read(line).commands) >= set(commands)
    assert len(read(line).commands) == len(commands)


@pytest.mark.parametrize(
    "line",
    [
        "ls $x",
        "npm run $x",
        "grep a *.py",
        'git commit -m "$x"',
        "find . -name a",
        "ls > $x",
        "nice ls",
    ],
)
def test_unknown_arguments_leave_it_clear_what_runs(line: str) -> None:
    assert read(line).understood


@pytest.mark.parametrize(
    "line",
    [
        *("$x f", "git $x", 'npm "$x"', "git pu{sh,ll}", "r[m] f", "sh -c 'rm f'", "eval rm"),
        *("sudo rm f", "find . -exec rm {} +", "xargs git", "timeout $x rm f", "env -S 'rm f'"),
        *("ls 'a", "f() { rm f; }", "coproc rm f", "nice " * 10 + "rm f", "fd -x rm", "! ! rm f"),
    ],
)
def test_rules_do_not_rely_on_what_is_not_known(line: str) -> None:
    assert not read(line).understood
