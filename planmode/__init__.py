"""Plan mode: the agent's side."""
