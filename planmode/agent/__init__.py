"""The agent: tools, models and the loop of a turn."""
