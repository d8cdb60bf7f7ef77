"""Django's SQLite backend with one fair queue for writers."""
