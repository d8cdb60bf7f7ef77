"""What can be known to fail before a session starts."""

from planmode.agent.contracts import ModelFailureError
from planmode.agent.models import open_model


def model_problem(name: str) -> str:
    """Return why no session can run on the model ``name``; empty when nothing speaks against it.

    Scripts are read here as a worker would read them; no provider is asked.
    """
    try:
        open_model(name)
    except ModelFailureError as error:
        return str(error)
    return ""
