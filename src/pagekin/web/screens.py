"""The screens: each looks something up and renders a template."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pagekin.look.markup import Html
from pagekin.look.words import plural
from pagekin.query.checker import kinship
from pagekin.verdicts.effective import carried
from pagekin.verdicts.labels import ALLOW, HAND, SPREAD
from pagekin.verdicts.precision import Estimate, agreements, estimate, estimates
from pagekin.verdicts.samples import QUEUES, Sample
from pagekin.web.judging import labels_of, thing_urls
from pagekin.web.lists import FOUND, WHERE
from pagekin.web.pages import Pages
from pagekin.web.rendered import frame
from pagekin.web.views.cluster import cards, cluster_row, cluster_view, headline, html_of, members_to_see
from pagekin.web.views.copies import copies_view
from pagekin.web.views.histogram import BINS, histogram
from pagekin.web.views.page import page_view
from pagekin.web.views.quilt import quilt_view
from pagekin.web.views.search import search
from pagekin.web.views.site import site_view

RECENT = 10
DISAGREED = 100
"""Disagreements that are listed of two judges."""


def _similarities(bins: list[dict[str, Any]]) -> Html:
    """Above the list of templates: how alike the pages of each are."""
    total = sum(one["number"] for one in bins)
    high = sum(one["number"] for one in bins if one["bin"] >= 0.9 * BINS)
    return histogram(
        bins,
        key="similarities",
        title=f"{high:,} of {plural(total, 'template')} have a mean similarity of 0.90 or more",
        axis="mean similarity to the most typical page",
        noun="template",
        height=190,
    )


class Screens(Pages):
    def home(self, request: Request) -> Response:
        """What there is to judge, and how far it is judged."""
        queues = []
        for name in QUEUES:
            total = self.context.counts.get({"sites": "domains"}.get(name, name), 0)
            sample = Sample(name)
            one = self._estimate(sample) if total else None
            queues.append({"name": name, "total": total, "sample": sample, "estimate": one})
        spam = self._spam()
        recent = self.context.state.recent(self.who(request), RECENT)
        return self.render(request, "home.html", queues=queues, recent=recent, spam=spam)

    def _estimate(self, sample: Sample, who: str | None = None) -> Estimate:
        """How a sample was judged, counted anew when a verdict came in."""
        state, catalog = self.context.state, self.context.catalog
        return self.context.keep(
            ("estimate", str(sample), who, state.changes),
            lambda: estimate(catalog, state, sample, self.context.run.params, who),
        )

    def _spam(self) -> dict[str, Any]:
        state, catalog = self.context.state, self.context.catalog
        select = """SELECT count(*) AS pages, count(DISTINCT domain) AS domains, count(hand) AS by_hand
            FROM carried WHERE label = 'spam'"""
        return self.context.keep(
            ("spam", state.changes), lambda: carried(catalog, state, select).to_pylist()[0]
        )

    def listing(self, request: Request) -> Response:
        """A list that sorts, filters and pages."""
        name = request.url.path.strip("/")
        listing = WHERE[name]
        labels = labels_of(self.context, listing.judged) if listing.judged else {}
        shown = listing.shown(self.context.catalog, dict(request.query_params), labels)
        total = self.context.counts.get({"copies": "classes", "sites": "domains"}.get(name, name), 0)
        nouns, what = FOUND[name]
        some = f"{shown.total:,} of " if shown.total < total else ""
        what = what.format(k=self.context.run.params.shingles.k)
        title = f"{some}{plural(total, *nouns)}: {what}" if total else f"No {nouns[1]}"
        return self.render(
            request, "list.html", name=name, shown=shown, title=title, noun=nouns[1], total=total,
            histogram=_similarities(shown.bins),
        )  # fmt: skip

    # One thing -----------------------------------------------------------------------------------

    def quilt(self, request: Request) -> Response:
        """A quilt beside its sources."""
        view = quilt_view(self.context, request.path_params["page"])
        if view is None:
            raise HTTPException(404, "this page is not among the quilts of the run")
        return self.render(request, "quilt.html", view=view, **self.thing(request, "page", view.page))

    def cluster(self, request: Request) -> Response:
        view = cluster_view(self.context, request.path_params["cluster"])
        if view is None:
            raise HTTPException(404, "there is no template of this number")
        row = view.row
        allowed = self.context.state.allows_cluster(row["cluster"], row["name"])
        return self.render(
            request,
            "cluster.html",
            view=view,
            allowed=allowed,
            **self.thing(request, "cluster", row["cluster"]),
        )

    def copies(self, request: Request) -> Response:
        query = request.query_params.get("with", "")
        view = copies_view(
            self.context, request.path_params["number"], int(query) if query.isdecimal() else None
        )
        if view is None:
            raise HTTPException(404, "there is no class of copies of this number")
        return self.render(request, "copies.html", view=view, **self.thing(request, "class", view.number))

    def site(self, request: Request) -> Response:
        view = site_view(self.context, request.path_params["site"])
        if view is None:
            raise HTTPException(404, "no page of this site is in the run")
        allowed = self.context.state.allows_site(view.name)
        return self.render(
            request, "site.html", view=view, allowed=allowed, **self.thing(request, "site", view.name)
        )

    def page(self, request: Request) -> Response:
        view = page_view(self.context, request.path_params["page"])
        if view is None:
            raise HTTPException(404, "there is no page of this number")
        carries = self.context.state.of_page(kinship(view.row))
        rendered = request.query_params.get("view") == "rendered"
        return self.render(
            request, "page.html", view=view, carries=carries, rendered=rendered,
            **self.thing(request, "page", view.row["page"]),
        )  # fmt: skip

    def thing(self, request: Request, kind: str, target: int | str) -> dict[str, Any]:
        """What every screen of something that can be judged shows."""
        state = self.context.state
        mine, said = state.by_judge(kind, target).get(self.who(request)), state.current(HAND, kind, target)
        return {
            "kind": kind,
            "target": str(target),
            "mine": mine,
            "said": said,
            # A judge who has not decided sees what others said only if they ask for it.
            "covered": said is not None and mine is None and not self.context.read_only,
            "spread": state.current(SPREAD, kind, target),
            "back": request.url.path,
        }

    def rendered(self, request: Request) -> Response:
        """A crawled page, for a frame of ours only."""
        if request.headers.get("sec-fetch-dest", "iframe") not in ("iframe", "empty"):
            raise HTTPException(403, "a crawled page is shown in its frame only")
        page = request.path_params["page"]
        if self.context.catalog.page(page) is None:
            raise HTTPException(404, "there is no page of this number")
        return frame(html_of(self.context, page))

    # Judging -------------------------------------------------------------------------------------

    def queue(self, request: Request) -> Response:
        """One decision a screen. Without a place: the first thing that this judge has not decided."""
        sample = Sample.parse(
            "/".join(str(request.path_params[n]) for n in ("queue", "order", "size", "seed"))
        )
        catalog, state, who = self.context.catalog, self.context.state, self.who(request)
        targets = self.context.keep(("sample", str(sample)), lambda: sample.targets(catalog))
        mine = [state.by_judge(sample.kind, target).get(who) for target in targets]
        done = sum(one is not None for one in mine)
        asked = request.path_params.get("at")
        if asked is None:
            after = request.query_params.get("after", "")
            start = int(after) if after.isdecimal() and len(after) < 7 else 0
            order = [*range(start, len(targets)), *range(min(start, len(targets)))]
            at = next((place for place in order if mine[place] is None), None)
            if at is None:
                return self._finished(request, sample, done)
            return RedirectResponse(f"/judge/{sample}/{at + 1}", 303)
        if not 1 <= asked <= len(targets):
            raise HTTPException(404, "the queue has no such place")
        target = targets[asked - 1]
        parts = self._judged(sample.kind, target)
        # Of this judge's own decisions: what others said would not leave them blind.
        one = self._estimate(sample, who)
        recent = state.recent(who, RECENT, str(sample))
        places = {target: place for place, target in enumerate(targets, 1)}
        return self.render(
            request, "queue.html", sample=sample, at=asked, size=len(targets), done=done, estimate=one,
            recent=[(places[row.target], row) for row in recent if row.target in places], **parts,
            **self.thing(request, sample.kind, target),
        )  # fmt: skip

    def _judged(self, kind: str, target: str) -> dict[str, Any]:
        """What is looked at to decide."""
        if kind == "site":
            return {"view": site_view(self.context, target)}
        number = int(target)
        if kind == "class":
            return {"view": copies_view(self.context, number, None)}
        if kind == "cluster":
            row = cluster_row(self.context, number)
            assert row is not None
            chosen = members_to_see(self.context, row)[:4]
            return {"view": {"row": row, "headline": headline(row), "cards": cards(self.context, chosen)}}
        view = quilt_view(self.context, number)
        return {"view": view}

    def _finished(self, request: Request, sample: Sample, done: int) -> Response:
        one = self._estimate(sample)
        recent = self.context.state.recent(self.who(request), RECENT, str(sample))
        return self.render(request, "finished.html", sample=sample, done=done, estimate=one, recent=recent)

    # All verdicts --------------------------------------------------------------------------------

    def precision(self, request: Request) -> Response:
        """Shares of spam with their intervals, and how far judges agree."""
        state = self.context.state
        found = self.context.keep(
            ("estimates", state.changes),
            lambda: (estimates(self.context.catalog, state, self.context.run.params), agreements(state)),
        )
        split = [(kind, target) for one in found[1] for kind, target, *_ in one.disagreed[:DISAGREED]]
        urls = {
            kind: thing_urls(self.context, kind, [target for of, target in split if of == kind])
            for kind in {kind for kind, _ in split} - {"site"}
        }
        return self.render(
            request, "precision.html", estimates=found[0], agreements=found[1], urls=urls, limit=DISAGREED
        )

    def verdicts(self, request: Request) -> Response:
        """Everything that was decided, newest first."""
        rows = list(reversed(self.context.state.rows()))
        number = request.query_params.get("page", "1")
        page = max(int(number), 1) if number.isdecimal() and len(number) < 7 else 1
        spreads, allowed = self.context.state.active(SPREAD), self.context.state.active(ALLOW)
        return self.render(
            request, "verdicts.html", rows=rows[(page - 1) * 100 : page * 100], total=len(rows), page=page,
            spreads=spreads, allowed=allowed,
        )  # fmt: skip

    def search(self, request: Request) -> Response:
        """Pages by URL, host, domain or words of the text."""
        asked = request.query_params.get("q", "").strip()[:500]
        found = search(self.context, asked) if asked else None
        if found is not None and found.exact:
            return RedirectResponse(found.exact, 303)
        return self.render(request, "search.html", asked=asked, found=found)

    def help(self, request: Request) -> Response:
        return self.render(request, "help.html")
