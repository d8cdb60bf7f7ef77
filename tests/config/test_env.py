"""Settings from the environment: typed, and loud on nonsense."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
from planmode.shell.policy import STRICT, Policy

Setter: TypeAlias = Callable[[str], None]


@pytest.fixture
def variable(monkeypatch: pytest.MonkeyPatch) -> Setter:
    """Set the variable X."""
    return lambda value: monkeypatch.setenv("X", value)


@pytest.mark.parametrize(
    ("value", "found"),
    [("1", True), ("TRUE", True), ("on", True), ("0", False), ("No", False), ("", False)],
)
def test_yes_and_no(
    variable: Setter,
    value: str,
    found: bool,  # noqa: FBT001 - a column of the table
) -> None:
    variable(value)
    assert env.boolean("X", default=not found) is found


def test_what_is_not_set_has_its_default() -> None:
    assert env.boolean("NOT_SET", default=True)
    assert env.integer("NOT_SET", 7) == 7
    assert env.words("NOT_SET", ("a",)) == ["a"]
    assert env.text("NOT_SET", "x") == "x"
    assert env.secret("NOT_SET") == ""
    assert env.database("NOT_SET", embedded={"ENGINE": "e"}) == {"ENGINE": "e"}


@pytest.mark.parametrize("value", ["-1", "1.5", "ten", "1_000", "٣", " 3", "0"])
def test_numbers_that_are_none(variable: Setter, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match="X="):
        env.integer("X", 5, least=1)


def test_a_number_has_an_upper_limit_where_there_is_one(variable: Setter) -> None:
    variable("11")
    assert env.integer("X", 5, most=11) == 11
    with pytest.raises(ImproperlyConfigured, match="use a whole number from 0 to 10"):
        env.integer("X", 5, most=10)


@pytest.mark.parametrize("value", ["maybe", "2", "yess"])
def test_neither_yes_nor_no(variable: Setter, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match="X="):
        env.boolean("X", default=True)


def test_a_number(variable: Setter) -> None:
    variable("30")
    assert env.integer("X", 5) == 30


def test_words(variable: Setter) -> None:
    variable(" a, b,,c ,")
    assert env.words("X", ("z",)) == ["a", "b", "c"]


def test_folders(variable: Setter, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    variable(f"{tmp_path}/link, /opt/node")
    assert env.folders("X") == [tmp_path, Path("/opt/node")]


@pytest.mark.parametrize("value", ["/", "opt/node", "/opt, /usr/..", "~/.nvm"])
def test_what_is_no_folder_to_show(variable: Setter, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match="name folders as /one, not / itself"):
        env.folders("X")


def test_a_secret_comes_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("s3cret \nsecond line\n", encoding="utf-8")
    monkeypatch.setenv("X", "in the environment")
    monkeypatch.setenv("X_FILE", str(file))
    assert env.secret("X") == "s3cret"


def test_an_empty_file_holds_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("")
    monkeypatch.setenv("X_FILE", str(tmp_path / "key"))
    assert env.secret("X") == ""


def test_a_secret_that_can_not_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("X_FILE", str(tmp_path / "absent"))
    with pytest.raises(ImproperlyConfigured, match="X_FILE"):
        env.secret("X")


def test_a_database_url(variable: Setter) -> None:
    variable("postgres://us%40er:p%2Fw@db.example:6543/pl%20ans?sslmode=require")
    assert env.database("X", embedded={}) == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "pl ans",
        "USER": "us@er",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"pool": env.POOL, "sslmode": "require"},
    }


@pytest.mark.parametrize("value", ["mysql://u@h/db", "postgres://u@h", "postgres://u@h/", "db"])
def test_other_databases_are_refused_without_their_password(variable: Setter, value: str) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured) as caught:
        env.database("X", embedded={})
    assert value not in str(caught.value)


def test_the_policy_of_the_shell(variable: Setter) -> None:
    assert env.shell_policy("NOT_SET") == STRICT
    variable("network_reads, -wrappers")
    assert env.shell_policy("X") == Policy.of(["network_reads", "-wrappers"])


@pytest.mark.parametrize("value", ["everything", "-", "wrappers,nice"])
def test_a_permission_that_is_none_is_named_with_those_that_are(
    variable: Setter, value: str
) -> None:
    variable(value)
    with pytest.raises(ImproperlyConfigured, match=r"^X holds '.+': use some of .*network_reads"):
        env.shell_policy("X")
