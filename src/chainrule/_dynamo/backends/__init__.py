"""Code generators by name."""
