"""What goes wrong with a text for a model."""


class PromptError(Exception):
    """A text does not exist, or its values do not fit: a mistake in the code, never in a plan."""
