"""Quilts and their sources."""
