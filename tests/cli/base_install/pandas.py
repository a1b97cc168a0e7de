"""Stands in the way of pandas: the base install has none, and the command must not need it.

It is half of what a command takes to start, too: pyarrow loads pandas wherever it finds it.
"""

raise ImportError("the base install of pagekin has no pandas")
