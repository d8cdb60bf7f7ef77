"""Finds the model that a session's model name means."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from planmode.agent.contracts import ChatModel, ModelFailureError, ModelReply, ModelRequest
from planmode.agent.scripted import open_script
from planmode.core.wire import clean

SCRIPTED: Final = "scripted"
DEFAULT_TIMEOUT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class ProviderModel:
    """A model of one of pydantic-ai's providers, by its name there (``anthropic:...``)."""

    name: str

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the provider's reply, or give up after the setting MODEL_TIMEOUT_S (seconds).

        Blocks. Call it from a thread without a running event loop.

        Raises:
            ModelFailureError: there is none.
        """
        from planmode.agent.models import providers  # noqa: PLC0415 - pydantic-ai imports for 1.4 s

        timeout_s = float(getattr(settings, "MODEL_TIMEOUT_S", DEFAULT_TIMEOUT_S))
        return providers.ask(self.name, request, timeout_s=timeout_s)


def open_model(name: str) -> ChatModel:
    """Return the model that ``name`` means; asks no provider, and so knows no provider's names.

    ``scripted:FILE`` plays a file of replies (docs/scripted-model.md) below the setting
    SCRIPTS_DIR, never one of the folder that the worker happens to run in; every other name is one
    of pydantic-ai's, ``provider:model``.

    Raises:
        ModelFailureError: the script is missing or broken (script_invalid), or ``name`` has not
            the form of a model's name (unknown_model).
    """
    name = clean(name)
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise ModelFailureError(
            "unknown_model",
            f"{name[:100]!r} is no model's name: write provider:model, or scripted:FILE",
        )
    if provider == SCRIPTED:
        # An absolute path, which run_session writes for a person on this machine, stays itself.
        return open_script(Path(settings.SCRIPTS_DIR) / model)
    return ProviderModel(name)
