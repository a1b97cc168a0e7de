"""Measurements around a run: duplicates among search results, parameter sweeps, calibration."""
