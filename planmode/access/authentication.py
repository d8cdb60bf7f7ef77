"""How the API knows who asks: by token, or by log-in and CSRF."""

from django.contrib.auth.models import User
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from planmode.access import tokens
from planmode.access.models import Token


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer TOKEN``; tried first, and a cookie beside it is ignored."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return owner and token; ``None`` when the request shows no bearer token.

        Raises:
            AuthenticationFailed: it shows one that is not good.
        """
        scheme, _, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = tokens.find(text.strip())
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the signature is DRF's
        """Return what a 401 asks for."""
        return "Bearer"


class BrowserAuthentication(SessionAuthentication):
    """A person's log-in; every unsafe method needs the CSRF token."""
