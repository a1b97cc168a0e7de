"""The report: a run's tables and figures in one HTML file that needs nothing else and runs nothing."""

from __future__ import annotations

from pagekin.report.build import write_report

__all__ = ["write_report"]
