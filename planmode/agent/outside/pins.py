"""The hashes of checked tools, put into the file of servers."""

import json
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from planmode.agent.outside.offers import Offer
from planmode.agent.outside.servers import ServersInvalidError, read_json, read_servers


def pins(offers: Iterable[Offer]) -> dict[str, Any]:
    """Return what the key ``tools`` of a server has to hold, as the file has it.

    Only for tools that call themselves read-only: for the others a hash would change nothing.
    """
    return {o.name: {"schema_sha256": o.sha256} for o in offers if o.says_read_only}


def write(path: Path, server: str, tools: Mapping[str, Any]) -> None:
    """Replace the key ``tools`` of ``server`` in the file; whoever reads it sees old or new.

    Owner and rights of the file stay as they are as far as this process may give them.

    Raises:
        ServersInvalidError: the file can't be used, lacks the server, or can't be written.
    """
    path = path.resolve()
    if server not in {known.name for known in read_servers(path)}:
        raise ServersInvalidError(f"{path}: has no server {server!r}")
    value = read_json(path)
    value["servers"][server]["tools"] = dict(tools)
    try:
        _replace(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise ServersInvalidError(f"{path}: can't be written: {error.strerror}") from None


def _replace(path: Path, text: str) -> None:
    was = path.stat()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(stat.S_IMODE(was.st_mode))
        with suppress(PermissionError):
            os.chown(name, was.st_uid, was.st_gid)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
