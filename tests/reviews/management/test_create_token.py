"""create_token: the token on standard output, once."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from planmode.access import tokens
from planmode.access.models import Token
from reviews.models import AuditFact


def create_token(*args: str) -> tuple[str, str]:
    """Return what the command wrote to standard output and to standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command("create_token", *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_standard_output_is_the_token_alone(operator: User) -> None:
    out, err = create_token("operator", "--name", "build server")
    token = tokens.find(out.strip())
    assert token is not None
    assert (token.owner, token.name) == (operator, "build server")
    assert (token.may_submit, token.may_read) == (True, True)
    assert out.count("\n") == 1
    assert out.strip() not in err


@pytest.mark.parametrize(
    ("scopes", "submits", "reads"),
    [
        pytest.param(["submit"], True, False, id="submit"),
        pytest.param(["read"], False, True, id="read"),
        pytest.param(["read", "submit"], True, True, id="both"),
    ],
)
def test_scopes(scopes: list[str], submits: bool, reads: bool, operator: User) -> None:  # noqa: FBT001
    create_token("operator", *(part for scope in scopes for part in ("--scope", scope)))
    token = Token.objects.get()
    assert (token.may_submit, token.may_read) == (submits, reads)


def test_the_secret_is_kept_nowhere(operator: User) -> None:
    out, _ = create_token("operator")
    secret = out.strip().rpartition("_")[2]
    row = Token.objects.get()
    assert secret not in f"{row.prefix} {row.sha256} {row.name}"
    fact = AuditFact.objects.get(kind="token_issued")
    assert secret.encode() not in bytes(fact.canonical)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        pytest.param(["nobody"], "no active user 'nobody'", id="unknown user"),
        pytest.param(["operator", "--project", "other"], "no project 'other'", id="no project"),
        pytest.param(["operator", "--scope", "decide"], "invalid choice: 'decide'", id="scope"),
        pytest.param(["operator", "--name", "x" * 81], "invalid label value", id="long name"),
        pytest.param([], "required: USER", id="nobody named"),
    ],
)
def test_bad_usage_makes_nothing(args: list[str], reason: str, operator: User) -> None:
    with pytest.raises(CommandError, match=reason):
        create_token(*args)
    assert not Token.objects.exists()


def test_nobody_lends_more_than_they_have(reviewer: User) -> None:
    """security:S16."""
    with pytest.raises(CommandError, match="a token could submit by") as refusal:
        create_token("reviewer")
    assert refusal.value.returncode == 2
    assert not Token.objects.exists()
    create_token("reviewer", "--scope", "read")
    assert Token.objects.get().scopes == {"read"}


def test_a_user_who_left_gets_none(operator: User) -> None:
    User.objects.filter(pk=operator.pk).update(is_active=False)
    with pytest.raises(CommandError) as refusal:
        create_token("operator")
    assert refusal.value.returncode == 2
