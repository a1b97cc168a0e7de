"""What screens show, computed from the run."""
