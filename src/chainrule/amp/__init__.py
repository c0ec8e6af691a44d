"""Mixed precision: autocast and gradient scaling."""
