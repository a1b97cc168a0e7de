"""What people decided: labels, how they spread, how far detectors can be trusted, and block lists.

store       the SQLite file: append-only, one row a decision
state       what holds now, over a run and those it was made against
spread      one decision for all pages of a cluster, class or site: preview, then confirm
files       verdicts as CSV and JSONL, out and in
precision   the share of spam in judged samples, and how far judges agree
blocklist   domains, hosts and URLs to block, with the evidence
"""

from __future__ import annotations

from pagekin.verdicts.labels import KINDS, LABELS, Verdict
from pagekin.verdicts.state import State
from pagekin.verdicts.store import Store

__all__ = ["KINDS", "LABELS", "State", "Store", "Verdict"]
