"""Exact and fuzzy duplicates by MD5 and ssdeep."""
