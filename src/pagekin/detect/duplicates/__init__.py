"""Exact and near duplicates by shingles."""
