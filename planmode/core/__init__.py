"""Pure decisions about plan mode."""
