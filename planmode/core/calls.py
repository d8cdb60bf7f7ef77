"""Tool calls as the model asked for them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call of a model's reply.

    ``args`` is the JSON text exactly as the model sent it: parsing it here would lose what the
    model really said, and canonical JSON can't keep every number.
    """

    id: str
    name: str
    args: str = "{}"
