"""Tools that run elsewhere, reached by the Model Context Protocol."""
