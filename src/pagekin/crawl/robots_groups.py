"""The groups of a robots.txt that are for one robot.

Protego stores each rule once for every name of its group: 30,000 names before 50,000 rules take 1 MiB of a
file, and minutes. So names of other robots become one name before it sees them.
"""

from __future__ import annotations

from protego import Protego

_FIELDS = frozenset({"user-agent", "useragent", "user agent"})


def own_groups(text: str, agent: str) -> str:
    """The same rules for `agent`. Those of other robots are still there, under one name."""
    lines = text.splitlines()
    names = {number: _key(name) for number, line in enumerate(lines) if (name := _name(line))}
    known = list(dict.fromkeys(names.values()))
    # Which of the names an agent goes by is for Protego to say: the number of its group comes as a delay.
    numbered = (f"User-agent: {name}\nCrawl-delay: {number}" for number, name in enumerate(known))
    best = Protego.parse("\n".join(numbered)).crawl_delay(agent)
    own = None if best is None else known[int(best)]
    other = "x" * (len(agent) + 1)  # longer than the agent, so it cannot be a part of it
    for number, name in names.items():
        lines[number] = f"User-agent: {name if name == own else other}"
    return "\n".join(lines)


def _key(name: str) -> str:
    """Names are compared in lower case and without stars, of which one alone stands for all robots."""
    return name if name == "*" else name.lower().replace("*", "")


def _name(line: str) -> str | None:
    """The robot that a line names, in all the spellings that Protego takes for one."""
    line = line.partition("#")[0].strip()
    field, colon, value = line.partition(":")
    if field.strip().lower() in _FIELDS:
        return value.strip()
    if colon and (not value or value[0].isspace()):
        return None
    words = line.split()
    found = (count for count in (1, 2) if " ".join(words[:count]).lower() in _FIELDS)
    count = next(found, None)
    return None if count is None else " ".join(words[count:])
