"""Slow, obvious versions of the rules in docs/reference/text.md: what the native pass is held against."""
