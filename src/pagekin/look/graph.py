"""Graphs of pages: joined nodes lie together. The same graph is always drawn the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pagekin.look.chart import LINE, SERIES, WIDTH, drawing, legend_lines, legend_rows, shape_at
from pagekin.look.markup import Html, join, tag
from pagekin.look.scales import thinned
from pagekin.look.words import short

Place = tuple[float, float]

ROUNDS = 50
MAX_EDGES = 2000
"""Edges that are drawn at most."""
MANY = 600
"""Edges from which on they are drawn more faintly."""
NAME = 26
"""Letters of a name in the legend."""


@dataclass(frozen=True)
class Graph:
    """Pages and the edges among them, by their places in a list."""

    pages: Sequence[str]
    """what each page is coloured by, such as its domain"""
    edges: Sequence[tuple[int, int]]
    titles: Sequence[str] = field(default=())
    """what to show over each page; what it is coloured by, if not given"""
    centre: int | None = None
    """a page to mark"""

    def components(self) -> list[list[int]]:
        """What is connected, the largest first."""
        near: list[list[int]] = [[] for _ in self.pages]
        for a, b in self.edges:
            near[a].append(b)
            near[b].append(a)
        found, seen = [], [False] * len(self.pages)
        for start in range(len(self.pages)):
            queue, part = [start], []
            while queue:
                at = queue.pop()
                if not seen[at]:
                    seen[at] = True
                    part.append(at)
                    queue.extend(near[at])
            if part:
                found.append(sorted(part))
        return sorted(found, key=lambda part: (-len(part), part[0]))


def draw(graph: Graph, alt: str) -> Html:
    """Pages in the colours and shapes of the most frequent names, the marked page larger."""
    counts = Counter(graph.pages)
    # A colour of one page alone would say nothing.
    several = [name for name in counts if counts[name] > 1]
    named = sorted(several, key=lambda name: (-counts[name], name))[: SERIES - 1]
    series = {name: number for number, name in enumerate(named, 1)}
    rows = legend_rows([short(name, NAME) for name in named])
    top = LINE * len(rows) + 12.0
    places, height = _fitted(layout(graph), top)
    size = max(2.4, min(6.0, 70 / math.sqrt(max(len(places), 1))))
    ends = thinned(list(graph.edges), MAX_EDGES)
    path = "".join(
        f"M{places[a][0]:.0f} {places[a][1]:.0f}L{places[b][0]:.0f} {places[b][1]:.0f}" for a, b in ends
    )
    # Many links, each as dark as one alone, would be a blot.
    parts = [tag("path", class_="link many" if len(ends) > MANY else "link", d=path)] if path else []
    titles = graph.titles or graph.pages
    for (x, y), name, title in zip(places, graph.pages, titles, strict=True):
        parts.append(shape_at(x, y, size, series.get(name, 0), title))
    if graph.centre is not None:
        x, y = places[graph.centre]
        parts.append(
            tag(
                "circle",
                tag("title", f"centroid: {titles[graph.centre]}"),
                class_="centre",
                cx=x,
                cy=y,
                r=size + 2.5,
            )
        )
    return drawing(join([*legend_lines(rows, "dot", 16), *parts]), WIDTH, height, alt)


def _fitted(places: list[Place], top: float) -> tuple[list[Place], float]:
    """The places scaled to the width, below the legend, and the height they need."""
    if not places:
        return [], top + 20
    xs, ys = [x for x, _ in places], [y for _, y in places]
    edge = 10.0
    scale = min((WIDTH - 2 * edge) / max(max(xs) - min(xs), 1e-9), 400 / max(max(ys) - min(ys), 1e-9), 40.0)
    left = (WIDTH - scale * (max(xs) - min(xs))) / 2
    moved = [(left + scale * (x - min(xs)), top + edge + scale * (max(ys) - y)) for x, y in places]
    return moved, top + 2 * edge + scale * (max(ys) - min(ys))


def layout(graph: Graph) -> list[Place]:
    """Where each page is drawn: components side by side in rows, each spread out by forces."""
    places: list[Place] = [(0.0, 0.0)] * len(graph.pages)
    parts = graph.components()
    width = 1.4 * math.sqrt(sum((2 * _radius(len(part)) + 1) ** 2 for part in parts))
    x = y = height = 0.0
    for part in parts:
        radius = _radius(len(part))
        if x and x + 2 * radius > width:
            x, y, height = 0.0, y - height - 1, 0.0
        for node, (dx, dy) in zip(part, _spread(part, graph.edges), strict=True):
            places[node] = (x + radius * (1 + dx), y - radius * (1 + dy))
        x += 2 * radius + 1
        height = max(height, 2 * radius)
    return places


def _radius(nodes: int) -> float:
    return 0.8 * math.sqrt(nodes - 1) + 0.2


def _spread(part: list[int], edges: Sequence[tuple[int, int]]) -> list[Place]:
    """The nodes of a component in the unit disc (Fruchterman and Reingold's forces, from a spiral)."""
    size = len(part)
    if size == 1:
        return [(0.0, 0.0)]
    number = {node: at for at, node in enumerate(part)}
    ends = [(number[a], number[b]) for a, b in edges if a in number]
    turn = math.pi * (3 - math.sqrt(5))
    xs = [math.sqrt((n + 0.5) / size) * math.cos(n * turn) for n in range(size)]
    ys = [math.sqrt((n + 0.5) / size) * math.sin(n * turn) for n in range(size)]
    if len(ends) >= 0.9 * size * (size - 1) / 2:
        return list(zip(xs, ys, strict=True))  # all are joined with all: forces would find no order
    ideal = math.sqrt(math.pi / size)
    for step in range(ROUNDS):
        fx, fy = [0.0] * size, [0.0] * size
        for a in range(size):
            xa, ya, sx, sy = xs[a], ys[a], 0.0, 0.0
            for b in range(a):
                dx, dy = xa - xs[b], ya - ys[b]
                push = ideal * ideal / (dx * dx + dy * dy + 1e-6)
                sx += dx * push
                sy += dy * push
                fx[b] -= dx * push
                fy[b] -= dy * push
            fx[a] += sx
            fy[a] += sy
        for a, b in ends:
            dx, dy = xs[a] - xs[b], ys[a] - ys[b]
            pull = math.hypot(dx, dy) / ideal
            fx[a] -= dx * pull
            fy[a] -= dy * pull
            fx[b] += dx * pull
            fy[b] += dy * pull
        max_step = 0.3 * (1 - step / ROUNDS)
        for a in range(size):
            force = math.hypot(fx[a], fy[a]) or 1e-9
            xs[a] += fx[a] * min(force, max_step) / force
            ys[a] += fy[a] * min(force, max_step) / force
    mx, my = sum(xs) / size, sum(ys) / size
    far = max(max(math.hypot(x - mx, y - my) for x, y in zip(xs, ys, strict=True)), 1e-9)
    return [((x - mx) / far, (y - my) / far) for x, y in zip(xs, ys, strict=True)]
