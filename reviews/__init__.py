"""The review desk: the team's side."""
