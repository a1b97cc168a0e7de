"""Questions to a stored run, or about single pages: like, check, rows to show, one quilt in detail."""
