"""Commands of the agent's side for manage.py."""
