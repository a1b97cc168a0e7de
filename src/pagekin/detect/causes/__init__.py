"""Which URLs make duplicates, and why."""
