"""Detectors: which kernels run in which order. They know no engine by name."""
