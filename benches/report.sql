-- The tables of a made-up run: a line with its name, then the query that fills it. `i` is a page, n() their number,
-- h(i) a number that looks random. See report.py.

-- table: pages
SELECT i AS page, url(i) AS url, 'www.' || site(i) AS host, site(i) AS domain, '10.0.' || (i // 4000) % 200 || '.' ||
  (i // 40) % 200 AS ip, 200 AS status, ['UTF-8', 'UTF-8', 'UTF-8', 'windows-1252', 'windows-1251'][1 + i % 5] AS
  charset, false AS lossy, 20000 + i % 9000 AS html_bytes, 9000 AS noise_chars, (10 * pow(1.0008, h(i) %
  6000))::BIGINT AS words, i % 90 AS links, 'Title ' || i AS title, NULL AS generator,
  make_timestamptz(1700000000000000 + i * 1000000) AS date, 'crawl.warc.gz' AS input, i * 9000 AS offset,
  NULL AS truncated FROM ids;

-- table: texts
SELECT i AS page, url(i) AS url, 'home about contact ' || repeat('w' || i || ' ', 60) AS text FROM ids;

-- table: sketches
SELECT i AS page, unhex(repeat(md5((i // 7)::VARCHAR), 16)) AS style, NULL AS structure, NULL AS shingles, NULL AS skeleton, md5(CASE
  WHEN i % 20 = 1 THEN i - 1 ELSE i END::VARCHAR) AS md5, '3:a:b' AS ssdeep FROM ids;

-- table: style_clusters
SELECT row_number() OVER (ORDER BY i) AS rank, i AS cluster, 2 + (400000 / (1 + i * i / 40))::BIGINT AS pages, 0 AS
  known_pages, 1 + h(i) % 60 // (1 + i // 5000) AS hosts, 1 + h(i) % 60 // (1 + i // 5000) AS domains, 0.3 + (h(i) %
  700) / 1000 AS mean_similarity, 1.0 AS score, 1.0 AS weight, ['template', 'template', 'link farm', 'mirror', 'copy/paste'][1 + i %
  5] AS kind, CASE WHEN i % 3 = 0 THEN 'software ' || i % 40 END AS name, i AS centroid, url(i) AS centroid_url, 0.8
  AS cohesion, false AS worm, 0.0 AS mirrored, 0.1 AS inner_links, 0.2 AS link_density, 0.9 AS skeleton_similarity
  FROM ids WHERE i < n() // 20;

-- table: style_members
SELECT 1 + i % 100 AS rank, i % 100 AS cluster, i AS page, url(i) AS url, (h(i) % 1000) / 1000 AS similarity FROM ids
  WHERE i % 2 = 0 ORDER BY rank, similarity DESC, page;

-- table: duplicates
SELECT i - i % 2 AS class, i AS page, url(i) AS url, CASE WHEN i % 40 < 20 THEN 'exact' ELSE 'near' END AS kind, i - i
  % 2 AS representative, url(i - i % 2) AS representative_url, 1 - (h(i) % 300) / 1000 AS jaccard FROM ids WHERE i % 20 < 2;

-- table: fuzzy
SELECT i - i % 2 AS class, i AS page, url(i) AS url, CASE WHEN i % 40 < 20 THEN 'exact' ELSE 'near' END AS kind, i - i
  % 2 AS representative, url(i - i % 2) AS representative_url, 88 + h(i) % 13 AS score, false AS chain, 0.9 AS similarity, md5(i::VARCHAR) AS md5, '3:a:b' AS ssdeep FROM ids WHERE i % 20 < 2;

-- table: quilts
SELECT i AS page, url(i) AS url, 400 AS grams, 200 + h(i) % 200 AS patch_grams, (200 + h(i) % 200) / 400 AS
  patch_fraction, 200 + h(i) % 110 AS covered_grams, (200 + h(i) % 110) / 400 AS covered_fraction, 4 + h(i) % 60 AS sources, 4 AS foreign_sources, h(i) % 90 AS uncovered, (h(i) % 100) / 100 AS
  attributed_share FROM ids WHERE i % 30 = 0;

-- table: quilt_sources
SELECT i AS page, url(i) AS url, h(i + r) % n() AS source, url(h(i + r) % n()) AS source_url, r AS rank, 10 AS
  new_grams, 20 AS shared_grams, 0.1 AS share, true AS "foreign", r % 4 = 0 AS attributed, NULL AS first FROM ids,
  range(1, 7) t(r) WHERE i % 30 = 0;

-- table: originality
SELECT i AS page, url(i) AS url, 400 AS grams, h(i) % 401 AS own_grams, (h(i) % 401) / 400 AS originality FROM ids;

-- table: phrases
SELECT 'five words of phrase ' || i AS phrase, 5 + (n() / (1 + i))::BIGINT AS pages, 3 AS hosts, 2 AS domains, 'idiom'
  AS kind, 1 AS functions, url(i) AS example_url, i AS fingerprint FROM ids WHERE i % 10 < 3;

-- table: popular
SELECT i AS page, url(i) AS url, least(84, h(i) % 100 * (h(i) % 7) // 7) AS popular FROM ids;

-- table: covers
SELECT i AS page, url(i) AS url, 30 + h(i) % 55 AS popular, 1 + h(i) % 40 AS cover, h(i) % 30 AS "foreign", [{'page':
  0, 'shingles': 3, 'foreign': true}] AS donors FROM ids WHERE i % 12 = 0;

-- table: sites
SELECT 'www.' || site(i) AS site, 40 AS pages, (h(i) % 840) / 10 AS mean_popular, (h(i) % 200) / 10 AS std_popular,
  0.7 AS originality, CASE WHEN h(i) % 840 > 700 THEN i // 40 + 1 END AS rank FROM ids WHERE i % 40 = 0;

-- table: duplicate_rates
SELECT site(i) AS site, 'www.' || site(i) || '/{n}?sid' AS pattern, NULL AS cluster, 'software x' AS software, 40 AS
  pages, 2 AS duplicates, 1 AS exact, 1 AS near, 0.05 AS rate, ['session id', 'mirror', 'tracking'][1 + i % 3] AS
  cause, 'sid' AS detail, 2 AS caused, url(i) AS url, url(i + 1) AS of_url FROM ids WHERE i % 40 = 0;

-- table: url_parameters
SELECT 'www.' || site(i) AS host, 'sid' AS parameter, 'session id' AS role, 3 AS urls, 9 AS pages, 3 AS contents,
  6 AS repeats, 'never matters' AS verdict FROM ids WHERE i % 40 = 0;
