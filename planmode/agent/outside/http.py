"""HTTP to a server: what is configured goes, bounded answers come."""

from collections.abc import AsyncIterator, Mapping

import httpx2

from planmode.agent.outside.door import OutsideError
from planmode.agent.outside.stdio import LARGEST_MESSAGE


class _Counted(httpx2.AsyncByteStream):
    """A response's bytes, as many as one message may have."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > LARGEST_MESSAGE:
                raise OutsideError(f"it answered more than {LARGEST_MESSAGE} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Sends as usual, and counts what comes back.

    What is packed could be a thousand times larger once unpacked: it is not asked for, and refused.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response, its stream bounded.

        Raises:
            OutsideError: it is packed; also from the stream, when that is too long.
        """
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise OutsideError("it packed its answer, though nobody asked for that")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Counted(response.stream)
        return response


def client(headers: Mapping[str, str], timeout_s: float) -> httpx2.AsyncClient:
    """Return a client that sends ``headers``, and nothing that this machine knows besides.

    Neither passwords of a .netrc nor a proxy of the environment are used.
    """
    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity", **headers},
        timeout=timeout_s,
        transport=BoundedTransport(trust_env=False),
        trust_env=False,
    )
