"""The verdict that each page carries, for many pages at once. `State.of_page` says the same of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pagekin.index.catalog import Catalog
from pagekin.verdicts.labels import ALLOW, HAND, SPREAD, Verdict, is_id
from pagekin.verdicts.state import State

_HAND = pa.schema([("page", pa.int64()), ("label", pa.string()), ("uid", pa.string())])
_REACH = pa.schema(
    [
        ("kind", pa.string()),
        ("number", pa.int64()),
        ("name", pa.string()),
        ("label", pa.string()),
        ("uid", pa.string()),
        ("place", pa.int64()),
    ]
)

_SQL = """
WITH asked AS (
    SELECT page, url, host, domain, cluster, software, "class" FROM pages WHERE {where}
),
reached AS (
    SELECT asked.page, r.label, r.uid, r.place FROM asked JOIN spreads r
        ON r.kind = 'cluster' AND r.number = asked.cluster
        WHERE asked.cluster NOT IN (SELECT number FROM allowed WHERE kind = 'cluster')
        AND (software IS NULL OR software NOT IN (SELECT name FROM allowed WHERE kind = 'software'))
    UNION ALL
    SELECT asked.page, r.label, r.uid, r.place FROM asked JOIN spreads r
        ON r.kind = 'class' AND r.number = asked."class"
    UNION ALL
    SELECT asked.page, r.label, r.uid, r.place FROM asked JOIN spreads r
        ON r.kind = 'site' AND r.name = asked.domain
    UNION ALL
    SELECT asked.page, r.label, r.uid, r.place FROM asked JOIN spreads r
        ON r.kind = 'site' AND r.name = asked.host AND asked.host IS DISTINCT FROM asked.domain
),
latest AS (SELECT page, arg_max(label, place) AS label, arg_max(uid,
    place) AS uid FROM reached GROUP BY page),
judged AS (
    SELECT asked.*, hands.label AS hand, latest.label AS reaching, hands.uid AS hand_uid,
        latest.uid AS spread_uid,
        shielded.name IS NOT NULL OR shielding.name IS NOT NULL AS shield
    FROM asked LEFT JOIN hands USING (page) LEFT JOIN latest USING (page)
    LEFT JOIN (SELECT name FROM allowed WHERE kind = 'site') shielded ON shielded.name = asked.domain
    LEFT JOIN (SELECT name FROM allowed WHERE kind = 'site') shielding ON shielding.name = asked.host
)
SELECT * EXCLUDE (reaching, hand_uid, spread_uid, shield),
    CASE WHEN NOT shield THEN reaching END AS spread,
    coalesce(hand_uid, CASE WHEN NOT shield THEN spread_uid END) AS uid,
    coalesce(hand, CASE WHEN NOT shield THEN reaching END) AS label
FROM judged
"""


def carried(
    catalog: Catalog, state: State, select: str, *, where: str = "true", values: Sequence[Any] = ()
) -> pa.Table:
    """Asks over `carried`: page, url, host, domain, cluster, software, class, hand, spread, label, uid.

    Args:
        catalog: The pages.
        state: The verdicts.
        select: A query over `carried`.
        where: Which pages of the catalog are looked at.
        values: For the marks `?` in `where`.
    """
    hands = [
        {"page": int(row.target), "label": row.label, "uid": row.uid}
        for row in state.active(HAND)
        if row.kind == "page"
    ]
    return catalog.arrow(
        f"WITH carried AS ({_SQL.format(where=where)}) {select}",
        values,
        hands=pa.Table.from_pylist(hands, _HAND),
        spreads=_reach(state.active(SPREAD)),
        allowed=_reach(state.active(ALLOW)),
    )


def _reach(rows: Sequence[Verdict]) -> pa.Table:
    made = [
        {
            "kind": row.kind,
            "number": int(row.target) if row.kind in ("cluster", "class") and is_id(row.target) else None,
            "name": row.target,
            "label": row.label,
            "uid": row.uid,
            "place": place,
        }
        for place, row in enumerate(rows)
    ]
    # A number that is null would make every NOT IN unknown.
    return pa.Table.from_pylist(
        [row | {"number": -1 if row["number"] is None else row["number"]} for row in made], _REACH
    )
