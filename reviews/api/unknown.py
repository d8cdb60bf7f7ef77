"""Addresses that the API does not have."""

from typing import Any, NoReturn

from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from planmode.access.endpoint import Endpoint


class UnknownAddressView(Endpoint):
    """Answers 404 to everybody and every method, in the form of every other problem."""

    authentication_classes = ()
    permission_classes = ()

    def initial(
        self,
        request: Request,
        *args: Any,  # noqa: ANN401, ARG002 - the signature is DRF's
        **kwargs: Any,  # noqa: ANN401, ARG002
    ) -> NoReturn:
        """Refuse before anything else is asked.

        Raises:
            NotFound: always.
        """
        raise NotFound(f"There is nothing at {request.path}")
