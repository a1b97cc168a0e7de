"""A crawler that knows when it has seen it all, and a Scrapy extension for other people's spiders.

    patterns → yields → saturation      what kind of URL; what such URLs brought; is it enough
            series                      calendars and counters without end
            frontier, scope → state     what to fetch next; a crawl without a network
       seen, answer, curve, warc        duplicates; what a server said; growth; what is stored
    scheduler, middleware, robots,
            resolver, spider            Scrapy's side of it
    extension, extension_downloads      the same for any spider

Only what is below `warc` imports Scrapy.
"""
