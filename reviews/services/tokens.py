"""Tokens of programs, made for people who could do the same."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from planmode.access import tokens
from planmode.access.may import caller_of, may_lend
from planmode.access.models import Project, Token
from planmode.core.errors import NotAllowedError
from reviews import audit


@transaction.atomic
def issue_token(
    owner: User, project: Project, name: str, *, scopes: frozenset[str]
) -> tuple[Token, str]:
    """Make a token for ``owner`` in ``project``; return it and its text, which is shown once.

    Raises:
        NotAllowedError: the owner's own roles do not reach that far.
    """
    _check_lender(owner, project, scopes)
    token, text = tokens.issue(owner, project, name, scopes=scopes)
    data = {
        "owner": owner.pk,
        "prefix": token.prefix,
        "project": project.name,
        "scopes": sorted(scopes),
    }
    audit.record([audit.Fact("token_issued", data)], now=timezone.now())
    return token, text


def _check_lender(owner: User, project: Project, scopes: frozenset[str]) -> None:
    person = caller_of(owner)
    lacking = sorted(scopes - (may_lend(person, project.pk) if person else frozenset()))
    if lacking:
        raise NotAllowedError(
            f"{owner} has no role in project {project} that a token could {' or '.join(lacking)} "
            "by: an operator's may do both, a reviewer's, lead's or admin's may read"
        )
