"""Who may answer at all, asked before a body is read."""

from planmode.access.endpoint import ApiRequest
from planmode.access.requests import caller
from reviews.core.errors import TokenNeverDecidesError


def require_person(request: ApiRequest) -> None:
    """Return quietly when a person asks.

    Raises:
        NotAuthenticated: nobody that is known does.
        TokenNeverDecidesError: a program does, whatever it sends and to whichever card.
    """
    if caller(request).by_token:
        raise TokenNeverDecidesError("a token never decides or answers; log in with a browser")
