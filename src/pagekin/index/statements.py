"""What is in the catalog, as the statements that make it. Views `all_X` hold all runs, `own_X` the newest."""

from __future__ import annotations

STATEMENTS = (
    # A page may have joined a cluster or class in one run and another in a later one: the later counts.
    """CREATE TEMP TABLE in_cluster AS
    SELECT page, arg_max(cluster, run) AS cluster, arg_max(similarity, run) AS similarity
    FROM all_style_members GROUP BY page""",
    """CREATE TEMP TABLE in_class AS
    SELECT page, arg_max("class", run) AS "class", arg_max(kind, run) AS copy, arg_max(jaccard,
        run) AS jaccard
    FROM all_duplicates GROUP BY page""",
    """CREATE TEMP TABLE in_fuzzy AS
    SELECT page, arg_max("class", run) AS fuzzy, arg_max(kind, run) AS fuzzy_copy, arg_max(score,
        run) AS score
    FROM all_fuzzy GROUP BY page""",
    """CREATE TABLE clusters AS
    SELECT * EXCLUDE (run) FROM all_style_clusters
    QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY run DESC) = 1 ORDER BY run DESC, rank""",
    """CREATE TABLE pages AS
    SELECT p.page, p.url, p.host, p.domain, p.ip, p.status, p.charset, p.html_bytes, p.noise_chars,
        p.words, p.links,
        p.title, p.generator, p.date, p.input, p."offset", p.run,
        c.cluster, c.similarity, s.name AS software, d."class", d.copy, d.jaccard, f.fuzzy, f.fuzzy_copy,
        f.score,
        q.covered_fraction, q.sources, o.originality
    FROM all_pages p
    LEFT JOIN in_cluster c USING (page) LEFT JOIN clusters s USING (cluster)
    LEFT JOIN in_class d USING (page) LEFT JOIN in_fuzzy f USING (page)
    LEFT JOIN all_quilts q USING (page)
    LEFT JOIN all_originality o USING (page)
    ORDER BY p.page""",
    "CREATE TABLE urls AS SELECT hash(url) AS hash, page FROM pages ORDER BY hash, page",
    """CREATE TABLE members AS
    SELECT cluster, similarity, page, url, host, domain FROM pages WHERE cluster IS NOT NULL
    ORDER BY cluster, similarity DESC, page""",
    """CREATE TABLE copies AS
    SELECT "class", page, url, host, domain, copy AS kind, jaccard FROM pages WHERE "class" IS NOT NULL
    ORDER BY "class", page""",
    """CREATE TABLE classes AS
    SELECT "class", count(*) AS pages, count(DISTINCT host) AS hosts, count(DISTINCT domain) AS domains,
        count(*) FILTER (kind = 'exact') AS exact, count(*) FILTER (kind = 'near') AS near,
        min(jaccard) AS least_jaccard, arg_min(url, page) AS url, arg_min(domain, page) AS domain
    FROM copies GROUP BY "class" ORDER BY pages DESC, "class" """,
    """CREATE TABLE fuzzy_copies AS
    SELECT fuzzy, page, url, host, domain, fuzzy_copy AS kind, score FROM pages WHERE fuzzy IS NOT NULL
    ORDER BY fuzzy, page""",
    """CREATE TABLE site_pages AS
    SELECT domain, host, page, url, title, words, cluster, "class", covered_fraction FROM pages
    ORDER BY domain, host, page""",
    """CREATE TABLE quilts AS
    SELECT q.* EXCLUDE (run), p.domain, p.host, p.words, p.title, p.date
    FROM all_quilts q JOIN pages p USING (page) ORDER BY q.page""",
    "CREATE TABLE quilt_sources AS SELECT * EXCLUDE (run) FROM all_quilt_sources ORDER BY page, rank",
    """CREATE TABLE quilted_from AS
    SELECT source, page, url, share FROM quilt_sources ORDER BY source, share DESC""",
    "CREATE TABLE phrases AS SELECT * EXCLUDE (run) FROM own_phrases ORDER BY pages DESC, phrase",
    "CREATE TABLE sites AS SELECT * EXCLUDE (run) FROM own_sites ORDER BY pages DESC, site",
    "CREATE TABLE covers AS SELECT * EXCLUDE (run) FROM all_covers ORDER BY page",
    """CREATE TABLE domains AS
    SELECT domain, count(*) AS pages, count(DISTINCT host) AS hosts, count(DISTINCT cluster) AS clusters,
        count(*) FILTER (covered_fraction IS NOT NULL) AS quilts,
        count(*) FILTER ("class" IS NOT NULL AND "class" <> page) AS copies,
        avg(originality) AS originality, sum(words)::BIGINT AS words, min(page) AS first
    FROM pages WHERE domain IS NOT NULL GROUP BY domain ORDER BY pages DESC, domain""",
    """CREATE TABLE cluster_domains AS
    SELECT cluster, domain, count(*) AS pages, avg(similarity) AS similarity, min(page) AS first
    FROM members GROUP BY cluster, domain ORDER BY cluster, pages DESC, domain""",
    """CREATE TABLE cluster_shape AS
    SELECT cluster, least(floor(similarity * 50), 49)::INTEGER AS bin, count(*) AS pages
    FROM members GROUP BY cluster, bin ORDER BY cluster, bin""",
    # A record is read again from where the one before it lies, and that may have been no page.
    'CREATE TABLE skipped AS SELECT page, "offset" FROM all_skipped ORDER BY page',
    """CREATE TABLE sizes AS
    SELECT 'pages' AS name, count(*) AS rows FROM pages
    UNION ALL SELECT 'clusters', count(*) FROM clusters
    UNION ALL SELECT 'members', count(*) FROM members
    UNION ALL SELECT 'classes', count(*) FROM classes
    UNION ALL SELECT 'copies', count(*) FROM copies
    UNION ALL SELECT 'quilts', count(*) FROM quilts
    UNION ALL SELECT 'phrases', count(*) FROM phrases
    UNION ALL SELECT 'sites', count(*) FROM sites
    UNION ALL SELECT 'domains', count(*) FROM domains
    UNION ALL SELECT 'fuzzy', count(*) FROM fuzzy_copies""",
)
