"""What a model may be called."""

from typing import Final

SCRIPTED: Final = "scripted:"
LONGEST: Final = 200


def problem_with(name: str, *, local: bool = False) -> str:
    """Return why no session can use a model of this name, empty when one can.

    ``local``: a person on this machine asks, whose scripts may lie anywhere.
    """
    if not name or len(name) > LONGEST or not name.isprintable():
        return "name a model, such as openai:gpt-5 or scripted:FILE"
    if name.startswith(SCRIPTED) and not local and not _is_plain(name):
        return "a scripted model is named by a file of SCRIPTS_DIR"
    return ""


def _is_plain(model: str) -> bool:
    name = model.removeprefix(SCRIPTED)
    return bool(name) and "/" not in name and "\\" not in name and not name.startswith(".")
