"""Graphs of pages: nodes that are linked lie together. The same graph is always drawn the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagekin.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]

ROUNDS = 80
COLOURS = ("#3b6fb6", "#d1495b", "#2e933c", "#edae49", "#7d5ba6", "#00798c", "#8c564b", "#e377c2", "#5f6b7a")
OTHERS = "#b8c0cc"


@dataclass(frozen=True)
class Graph:
    """Pages and the links among them, by their places in a list."""

    pages: Sequence[str]
    """what each page is coloured by, such as its domain"""
    links: Sequence[tuple[int, int]]
    centre: int | None = None
    """a page to mark"""

    def components(self) -> list[list[int]]:
        """What is connected, the largest first."""
        near: list[list[int]] = [[] for _ in self.pages]
        for a, b in self.links:
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


def layout(graph: Graph) -> list[Place]:
    """Where each page is drawn: components side by side in rows, each spread out by forces."""
    places: list[Place] = [(0.0, 0.0)] * len(graph.pages)
    parts = graph.components()
    width = 1.3 * math.sqrt(sum((2 * _radius(len(part)) + 1) ** 2 for part in parts))
    x = y = height = 0.0
    for part in parts:
        radius = _radius(len(part))
        if x and x + 2 * radius > width:
            x, y, height = 0.0, y - height - 1, 0.0
        for node, (dx, dy) in zip(part, _spread(part, graph.links), strict=True):
            places[node] = (x + radius * (1 + dx), y - radius * (1 + dy))
        x += 2 * radius + 1
        height = max(height, 2 * radius)
    return places


def _radius(nodes: int) -> float:
    return 0.8 * math.sqrt(nodes - 1) + 0.2


def _spread(part: list[int], links: Sequence[tuple[int, int]]) -> list[Place]:
    """The nodes of a component in the unit disk (Fruchterman and Reingold's forces, from a spiral)."""
    if len(part) == 1:
        return [(0.0, 0.0)]
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("a figure", "report") from None
    number = {node: at for at, node in enumerate(part)}
    ends = np.array([(number[a], number[b]) for a, b in links if a in number])
    turn = np.arange(len(part)) * math.pi * (3 - math.sqrt(5))
    far = np.sqrt((np.arange(len(part)) + 0.5) / len(part))
    at = np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)
    ideal = math.sqrt(math.pi / len(part))
    for step in range(ROUNDS):
        apart = at[:, None, :] - at[None, :, :]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force: Any = (apart * (ideal**2 / distance**2)[..., None]).sum(axis=1)
        along = at[ends[:, 0]] - at[ends[:, 1]]
        pull = along * (np.hypot(along[:, 0], along[:, 1]) / ideal)[:, None]
        np.subtract.at(force, ends[:, 0], pull)
        np.add.at(force, ends[:, 1], pull)
        size = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        most = 0.3 * (1 - step / ROUNDS)
        at = at + force * (np.minimum(size, most) / size)[:, None]
    at = at - at.mean(axis=0)
    at = at / max(float(np.hypot(at[:, 0], at[:, 1]).max()), 1e-9)
    return [(float(x), float(y)) for x, y in at]


def draw(graph: Graph, axes: Axes) -> None:
    """Links in grey, pages in the colours of the most frequent names, the marked page as a star."""
    places = layout(graph)
    xs: list[float] = []
    ys: list[float] = []
    for a, b in graph.links:
        xs += [places[a][0], places[b][0], math.nan]
        ys += [places[a][1], places[b][1], math.nan]
    # As pixels: a cluster may have more links than a file should hold lines.
    axes.plot(xs, ys, color="#8893a5", linewidth=0.3, alpha=0.5, zorder=1, rasterized=True)
    counts: dict[str, int] = {}
    for own in graph.pages:
        counts[own] = counts.get(own, 0) + 1
    named = sorted(counts, key=lambda name: (-counts[name], name))[: len(COLOURS)]
    colours = dict(zip(named, COLOURS, strict=False))
    size = max(3, min(30, 4000 / max(len(places), 1)))
    groups: list[str | None] = [*named, None]
    for name in groups:
        chosen = [
            place
            for place, own in zip(places, graph.pages, strict=True)
            if (own if own in colours else None) == name
        ]
        if chosen:
            label = "others" if name is None else name if len(name) < 40 else name[:39] + "…"
            colour = OTHERS if name is None else colours[name]
            axes.scatter(
                [x for x, _ in chosen],
                [y for _, y in chosen],
                s=size,
                color=colour,
                label=label,
                zorder=2,
                linewidths=0,
            )
    if graph.centre is not None:
        x, y = places[graph.centre]
        axes.scatter([x], [y], s=140, marker="*", color="black", label="centroid", zorder=3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=7)
    axes.set_aspect("equal")
    axes.set_axis_off()
