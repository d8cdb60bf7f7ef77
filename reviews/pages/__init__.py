"""The HTML pages of the desk."""
