"""Who may do what: projects, members, tokens."""
