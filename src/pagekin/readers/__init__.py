"""Crawl files to records, from disk, standard input or remote paths.

`expand` turns what a user names into inputs, `read_input` gives every record of one input in order, page or
not, `batches` packs records for the sketch pass. `read_pages` is the short way: the pages of a path.
"""

from __future__ import annotations

from pagekin.params import ReadParams
from pagekin.readers.base import CUT, INPUT_FAILURES, READ_REASONS, Input, Position, Record
from pagekin.readers.batches import batches
from pagekin.readers.expand import expand
from pagekin.readers.files import stored_size
from pagekin.readers.inputs import read_input, read_pages
from pagekin.readers.warc import split_warc

__all__ = [
    "CUT",
    "INPUT_FAILURES",
    "READ_REASONS",
    "Input",
    "Position",
    "ReadParams",
    "Record",
    "batches",
    "expand",
    "read_input",
    "read_pages",
    "split_warc",
    "stored_size",
]
