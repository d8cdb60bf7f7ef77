"""Pure rules of the review desk."""
