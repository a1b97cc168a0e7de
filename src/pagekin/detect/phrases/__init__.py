"""Popular phrases, covers and sites."""
