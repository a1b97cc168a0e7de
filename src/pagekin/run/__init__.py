"""The run folder."""

from pagekin.run.folder import BATCH_ROWS, Run, damaged
from pagekin.run.identity import FORMAT, KEYS, Identity

__all__ = ["BATCH_ROWS", "FORMAT", "KEYS", "Identity", "Run", "damaged"]
