-- a list
WITH _page AS (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items

-- a list of a natural key
WITH _page AS (SELECT "t"."id" AS "id", 'land'::text AS "kind_id", "t"."id" AS "iso", "t"."title" AS "title", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at" FROM (SELECT "t"."id", "t"."title", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."land" AS t WHERE true ORDER BY "t"."inserted_at", "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'land') END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items

-- a list of a kind that shares its table
WITH _page AS (SELECT "t"."id" AS "id", "t"."label" AS "label" FROM (SELECT "t"."id", "t"."kind_id", "t"."label", "t"."format", "t"."persistence", "t"."helper_text", "t"."default_value", "t"."min_length", "t"."max_length", "t"."strip", "t"."values", "t"."transitions", "t"."pattern", "t"."search", "t"."multiple", "t"."nullable", "t"."only_run_time", "t"."is_primary", "t"."required", "t"."unique", "t"."indexed", "t"."own", "t"."hidden", "t"."write_once", "t"."read_access", "t"."write_access", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."_parameter" AS t WHERE "t"."kind_id" = $1 ORDER BY "t"."inserted_at", "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."_parameter" AS t WHERE "t"."kind_id" = $1) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "string"

-- some fields of a page, in an order
WITH _page AS (SELECT "t"."name" AS "name", trim_scale("t"."price")::text AS "price", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."size" DESC, "t"."name", "t"."id" LIMIT 10 OFFSET $1::bigint) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = 20
-- $2 = true

-- the count alone
SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."size" IS NULL) AS count, '[]' AS items

-- no count
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, -1 AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items

-- what a caller may read
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."name" = $2::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($3::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."name" = $2::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "x"
-- $3 = true

-- the first page by cursor
WITH page AS (SELECT row_number() OVER (ORDER BY "t"."size" DESC, "t"."id") AS n, ARRAY["t"."size"::text, "t"."id"::text] AS keys, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r) AS item FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."size" DESC, "t"."id" LIMIT $1::bigint) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT item AS item FROM page WHERE n <= $3::bigint ORDER BY n OFFSET 0) AS i) AS s)::text AS items, (SELECT to_json(keys)::text FROM page WHERE n = $3::bigint AND EXISTS (SELECT FROM page WHERE n > $3::bigint)) AS last
-- $1 = 3
-- $2 = true
-- $3 = 2

-- the next page by cursor
WITH page AS (SELECT row_number() OVER (ORDER BY "t"."size" DESC, "t"."id") AS n, ARRAY["t"."size"::text, "t"."id"::text] AS keys, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r) AS item FROM "project_demo"."city" AS t WHERE "t"."size" <= $1::bigint AND (("t"."size" < $2::bigint) OR ("t"."size" = $3::bigint AND "t"."id" > $4::uuid)) ORDER BY "t"."size" DESC, "t"."id" LIMIT $5::bigint) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($6::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT item AS item FROM page WHERE n <= $7::bigint ORDER BY n OFFSET 0) AS i) AS s)::text AS items, (SELECT to_json(keys)::text FROM page WHERE n = $7::bigint AND EXISTS (SELECT FROM page WHERE n > $7::bigint)) AS last
-- $1 = "5"
-- $2 = "5"
-- $3 = "5"
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = 3
-- $6 = true
-- $7 = 2

-- the page after the nulls
WITH page AS (SELECT row_number() OVER (ORDER BY "t"."id") AS n, ARRAY["t"."size"::text, "t"."id"::text] AS keys, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r) AS item FROM "project_demo"."city" AS t WHERE "t"."size" IS NULL AND "t"."id" >= $1::uuid AND (("t"."id" > $2::uuid)) ORDER BY "t"."id" LIMIT $3::bigint) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($4::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT item AS item FROM page WHERE n <= $5::bigint ORDER BY n OFFSET 0) AS i) AS s)::text AS items, (SELECT to_json(keys)::text FROM page WHERE n = $5::bigint AND EXISTS (SELECT FROM page WHERE n > $5::bigint)) AS last
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 3
-- $4 = true
-- $5 = 2

-- eq(name,a)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."name" = $1::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."name" = $1::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "a"
-- $2 = true

-- ne(name,a)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."name" IS DISTINCT FROM $1::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."name" IS DISTINCT FROM $1::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "a"
-- $2 = true

-- not(eq(size,1))
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE (("t"."size" = $1::bigint) IS NOT TRUE) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE (("t"."size" = $1::bigint) IS NOT TRUE)) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = 1
-- $2 = true

-- and(ge(size,1),lte(price,2.50),or(lt(founded,01-02-2024),gte(opened,2024-01-31)))
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."size" > $1::bigint AND "t"."price" <= $2::numeric AND ("t"."founded" < $3::date OR "t"."opened" >= $4::timestamptz) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($5::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."size" > $1::bigint AND "t"."price" <= $2::numeric AND ("t"."founded" < $3::date OR "t"."opened" >= $4::timestamptz)) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = 1
-- $2 = "2.5"
-- $3 = "2024-02-01"
-- $4 = "2024-01-31T00:00:00Z"
-- $5 = true

-- in(size,[1,2])
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."size" = ANY($1::bigint[]) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."size" = ANY($1::bigint[])) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = [1,2]
-- $2 = true

-- icontains(name,50%_\)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE lower("t"."name" COLLATE "project_demo"."_fold") LIKE lower($1::text COLLATE "project_demo"."_fold") ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE lower("t"."name" COLLATE "project_demo"."_fold") LIKE lower($1::text COLLATE "project_demo"."_fold")) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "%50\\%\\_\\\\%"
-- $2 = true

-- startswith(xmin,a)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."_xmin" LIKE $1::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."_xmin" LIKE $1::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "a%"
-- $2 = true

-- contains(tags,a)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."tags" @> $1::text[] ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."tags" @> $1::text[]) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = ["a"]
-- $2 = true

-- in(tags,[a,b])
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."tags" && $1::text[] ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."tags" && $1::text[]) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = ["a","b"]
-- $2 = true

-- eq(tags,[a,b])
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."tags" = $1::text[] ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."tags" = $1::text[]) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = ["a","b"]
-- $2 = true

-- eq(extra.a."b.c",1)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."extra" #>> $1::text[] = $2 ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($3::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."extra" #>> $1::text[] = $2) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = ["a","b.c"]
-- $2 = "1"
-- $3 = true

-- eq(extra,{"a":1})
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE ("t"."extra" #> $1::text[] = $2::jsonb OR "t"."extra" #>> $3::text[] = $4) ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($5::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE ("t"."extra" #> $1::text[] = $2::jsonb OR "t"."extra" #>> $3::text[] = $4)) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = []
-- $2 = "{\"a\":1}"
-- $3 = []
-- $4 = "{\"a\":1}"
-- $5 = true

-- isnull(extra.a,false)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."extra" #>> $1::text[] IS NOT NULL ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."extra" #>> $1::text[] IS NOT NULL) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = ["a"]

-- eq(photo,AAEC)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."photo" = $1::bytea ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."photo" = $1::bytea) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "\\x000102"
-- $2 = true

-- eq(land,IT)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE "t"."land" = $1::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."land" = $1::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "IT"
-- $2 = true

-- eq(kind_id,city)
WITH _page AS (SELECT "t"."id"::text AS "id" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE 'city'::text = $1::text ORDER BY "t"."id" LIMIT 100) AS t) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($2::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, CASE WHEN (SELECT count(*) FROM _page) < 100 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM "project_demo"."city" AS t WHERE 'city'::text = $1::text) END AS count, CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END AS items
-- $1 = "city"
-- $2 = true

-- an estimate
EXPLAIN (FORMAT JSON) SELECT 1 FROM "project_demo"."city" AS t WHERE "t"."size" = $1::bigint
-- $1 = 1

-- a unit
SELECT (SELECT "version" FROM "project_demo"."_model") AS v, u.tag, CASE WHEN octet_length(u.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE u.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, row_to_json(_r)::text AS body FROM "project_demo"."city" AS t CROSS JOIN LATERAL (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid OFFSET 0) AS u
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"

-- a unit of a natural key
SELECT (SELECT "version" FROM "project_demo"."_model") AS v, u.tag, CASE WHEN octet_length(u.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE u.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, row_to_json(_r)::text AS body FROM "project_demo"."land" AS t CROSS JOIN LATERAL (SELECT "t"."title" AS "title") AS _r WHERE "t"."id" = $1::text OFFSET 0) AS u
-- $1 = "IT"

-- an insert of several units
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM json_to_recordset($1::json) AS i("id" uuid, "name" text, "tags" text[], "extra" jsonb, "land" text, "_xmin" text, "metadata" jsonb)), affected AS (INSERT INTO "project_demo"."city" AS t ("id", "name", "tags", "extra", "land", "_xmin", "metadata", "inserted_at", "updated_at") SELECT "i"."id", "i"."name", "i"."tags", "i"."extra", "i"."land", "i"."_xmin", "i"."metadata", "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $2::bigint RETURNING t.*), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', count(*) FROM affected HAVING count(*) > 0) SELECT a.tag, CASE WHEN sum(octet_length(a.body)) OVER (ROWS UNBOUNDED PRECEDING) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "[{\"id\":\"0198c0de-0000-7000-8000-000000000002\",\"name\":\"City 2\",\"tags\":[\"a\"],\"extra\":{\"a\":1},\"land\":null,\"_xmin\":\"x\",\"metadata\":{}},{\"id\":\"0198c0de-0000-7000-8000-000000000003\",\"name\":\"City 3\",\"tags\":[\"a\"],\"extra\":{\"a\":1},\"land\":null,\"_xmin\":\"x\",\"metadata\":{}}]"
-- $2 = 7

-- an insert of units that are not answered
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM json_to_recordset($1::json) AS i("id" uuid, "name" text, "tags" text[], "extra" jsonb, "land" text, "_xmin" text, "metadata" jsonb)), affected AS (INSERT INTO "project_demo"."city" AS t ("id", "name", "tags", "extra", "land", "_xmin", "metadata", "inserted_at", "updated_at") SELECT "i"."id", "i"."name", "i"."tags", "i"."extra", "i"."land", "i"."_xmin", "i"."metadata", "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $2::bigint RETURNING 1 AS one), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', count(*) FROM affected HAVING count(*) > 0) SELECT count(*)::int AS created FROM affected
-- $1 = "[{\"id\":\"0198c0de-0000-7000-8000-000000000002\",\"name\":\"City 2\",\"tags\":[\"a\"],\"extra\":{\"a\":1},\"land\":null,\"_xmin\":\"x\",\"metadata\":{}},{\"id\":\"0198c0de-0000-7000-8000-000000000003\",\"name\":\"City 3\",\"tags\":[\"a\"],\"extra\":{\"a\":1},\"land\":null,\"_xmin\":\"x\",\"metadata\":{}}]"
-- $2 = 7

-- an insert under a rule with a time
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM (SELECT $1::uuid AS "id", $2::text AS "name", $3::text[] AS "tags", $4::jsonb AS "extra", $5::text AS "land", $6::text AS "_xmin", $7::jsonb AS "metadata") AS i), affected AS (INSERT INTO "project_demo"."city" AS t ("id", "name", "tags", "extra", "land", "_xmin", "metadata", "inserted_at", "updated_at") SELECT "i"."id", "i"."name", "i"."tags", "i"."extra", "i"."land", "i"."_xmin", "i"."metadata", "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $8::bigint AND (SELECT bool_and(EXISTS (SELECT FROM (SELECT NULL::timestamptz AS "opened") AS _n WHERE "_n"."opened" >= (((SELECT max("_now") FROM input) AT TIME ZONE 'UTC' + $9::double precision * interval '1 second') AT TIME ZONE 'UTC'))) FROM input AS i) RETURNING t.*), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', 1 FROM affected) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "Rome"
-- $3 = ["a"]
-- $4 = "{\"a\":1}"
-- $5 = null
-- $6 = "x"
-- $7 = "{}"
-- $8 = 7
-- $9 = -3600

-- an insert of a unit
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM (SELECT $1::uuid AS "id", $2::text AS "name", $3::text[] AS "tags", $4::jsonb AS "extra", $5::text AS "land", $6::text AS "_xmin", $7::jsonb AS "metadata") AS i), affected AS (INSERT INTO "project_demo"."city" AS t ("id", "name", "tags", "extra", "land", "_xmin", "metadata", "inserted_at", "updated_at") SELECT "i"."id", "i"."name", "i"."tags", "i"."extra", "i"."land", "i"."_xmin", "i"."metadata", "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $8::bigint RETURNING t.*), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', 1 FROM affected) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "Rome"
-- $3 = ["a"]
-- $4 = "{\"a\":1}"
-- $5 = null
-- $6 = "x"
-- $7 = "{}"
-- $8 = 7

-- an insert into a table that is shared
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM json_to_recordset($1::json) AS i("id" text)), affected AS (INSERT INTO "project_demo"."_parameter" AS t ("id", "kind_id", "inserted_at", "updated_at") SELECT "i"."id", $2::text, "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $3::bigint RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id" AS "id") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "[]"
-- $2 = "string"
-- $3 = 7

-- an update
WITH affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM (SELECT $1::text AS "name") AS i WHERE "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint AND (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text = ANY($4::text[]) AND ("t"."id" = $5::uuid OR (SELECT false)) RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "Oslo"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = ["1"]
-- $5 = "0198c0de-0000-7000-8000-000000000001"

-- an update of nothing
WITH affected AS (UPDATE "project_demo"."city" AS t SET "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7

-- an update of a value that may be written once
WITH affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM (SELECT $1::text AS "name") AS i WHERE "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint AND ("t"."name" IS NULL OR "t"."name" IS NOT DISTINCT FROM "i"."name") RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "Oslo"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7

-- an update of a value with transitions
WITH affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM (SELECT $1::text AS "name") AS i WHERE "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint AND ("t"."opened" >= ((now() AT TIME ZONE 'UTC' + $4::double precision * interval '1 second') AT TIME ZONE 'UTC') OR (SELECT false)) AND (("t"."name" IS NULL AND "i"."name" = ANY($5::text[])) IS TRUE OR (jsonb_exists($6::jsonb -> "t"."name", "i"."name")) IS TRUE OR (jsonb_exists($7::jsonb -> "t"."name", "i"."name") AND "t"."opened" >= ((now() AT TIME ZONE 'UTC' + $8::double precision * interval '1 second') AT TIME ZONE 'UTC')) IS TRUE OR "t"."name" IS NOT DISTINCT FROM "i"."name") RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "open"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = -3600
-- $5 = ["open"]
-- $6 = "{\"open\":[\"solved\"]}"
-- $7 = "{\"solved\":[\"open\"]}"
-- $8 = -3600

-- an update of a unit with rules, of which those are tested again that it can break
WITH affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM (SELECT $1::text AS "name") AS i WHERE "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint AND (("t"."id" = $4::uuid AND "t"."name" IS NOT NULL) OR (SELECT false)) AND EXISTS (SELECT FROM (SELECT "i"."name" AS "name") AS _n WHERE "_n"."name" IS NOT NULL) AND ("t"."name" IS NULL OR "t"."name" IS NOT DISTINCT FROM "i"."name") RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, CASE WHEN "t"."name" IS NOT NULL THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text ELSE (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id") AS _r)::text END AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "Oslo"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- whether values that may be written once would stay
SELECT ARRAY[(("t"."name" IS NULL OR "t"."name" IS NOT DISTINCT FROM "i"."name")) IS TRUE] AS passed FROM "project_demo"."city" AS t, json_to_recordset($1::json) AS i("name" text) WHERE "t"."id" = $2::uuid
-- $1 = "[{\"name\":\"Oslo\"}]"
-- $2 = "0198c0de-0000-7000-8000-000000000001"

-- an update by expressions
WITH affected AS (UPDATE "project_demo"."city" AS t SET "size" = (coalesce("t"."size", 0) + $1::bigint), "tags" = (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($2::text[]) ORDER BY _k.n) || $3::text[]), "extra" = ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $4::text[] || $5::jsonb || jsonb_build_object($6::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $7::text[])) = 'object' THEN ("t"."extra" #> $7::text[]) ELSE '{}'::jsonb END) || $8::jsonb))), "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') WHERE "t"."id" = $9::uuid AND (SELECT "version" FROM "project_demo"."_model") = $10::bigint AND ("t"."size" IS NULL OR "t"."size" IS NOT DISTINCT FROM (coalesce("t"."size", 0) + $1::bigint)) AND (((coalesce("t"."size", 0) + $1::bigint) BETWEEN -9007199254740991 AND 9007199254740991) IS TRUE) AND (SELECT cardinality(_v.value) <= 500000 AND pg_column_size(_v.value) <= 16777216 FROM (SELECT (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($2::text[]) ORDER BY _k.n) || $3::text[]) AS value OFFSET 0) AS _v) AND (SELECT (pg_column_size(_v.value) <= 200000 OR ((SELECT count(*) FROM jsonb_path_query(_v.value, 'strict $.**')) <= 500000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value)) <= 50000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value #> $11::text[])) <= 50000)) AND pg_column_size(_v.value) <= 16777216 FROM (SELECT ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $4::text[] || $5::jsonb || jsonb_build_object($6::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $7::text[])) = 'object' THEN ("t"."extra" #> $7::text[]) ELSE '{}'::jsonb END) || $8::jsonb))) AS value OFFSET 0) AS _v) RETURNING t.*) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = 1
-- $2 = ["a"]
-- $3 = ["b"]
-- $4 = ["a"]
-- $5 = "{\"d\":1}"
-- $6 = "b"
-- $7 = ["b"]
-- $8 = "{\"c\":[1]}"
-- $9 = "0198c0de-0000-7000-8000-000000000001"
-- $10 = 7
-- $11 = ["b"]

-- the results of expressions
SELECT (SELECT row_to_json(_r) FROM (SELECT "t"."size" AS "size", "t"."tags" AS "tags", "t"."extra" AS "extra") AS _r)::text AS body, t._fits AS fits FROM (SELECT (coalesce("t"."size", 0) + $1::bigint) AS "size", (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($2::text[]) ORDER BY _k.n) || $3::text[]) AS "tags", ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $4::text[] || $5::jsonb || jsonb_build_object($6::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $7::text[])) = 'object' THEN ("t"."extra" #> $7::text[]) ELSE '{}'::jsonb END) || $8::jsonb))) AS "extra", ARRAY[(((coalesce("t"."size", 0) + $1::bigint) BETWEEN -9007199254740991 AND 9007199254740991) IS TRUE), (SELECT cardinality(_v.value) <= 500000 AND pg_column_size(_v.value) <= 16777216 FROM (SELECT (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($2::text[]) ORDER BY _k.n) || $3::text[]) AS value OFFSET 0) AS _v), (SELECT (pg_column_size(_v.value) <= 200000 OR ((SELECT count(*) FROM jsonb_path_query(_v.value, 'strict $.**')) <= 500000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value)) <= 50000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value #> $9::text[])) <= 50000)) AND pg_column_size(_v.value) <= 16777216 FROM (SELECT ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $4::text[] || $5::jsonb || jsonb_build_object($6::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $7::text[])) = 'object' THEN ("t"."extra" #> $7::text[]) ELSE '{}'::jsonb END) || $8::jsonb))) AS value OFFSET 0) AS _v)] AS _fits FROM "project_demo"."city" AS t WHERE "t"."id" = $10::uuid) AS t
-- $1 = 1
-- $2 = ["a"]
-- $3 = ["b"]
-- $4 = ["a"]
-- $5 = "{\"d\":1}"
-- $6 = "b"
-- $7 = ["b"]
-- $8 = "{\"c\":[1]}"
-- $9 = ["b"]
-- $10 = "0198c0de-0000-7000-8000-000000000001"

-- an update of all units that match
WITH found AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint LIMIT 11), target AS MATERIALIZED (SELECT "t"."id" AS _key, ("t"."id" = $4::uuid) IS TRUE AS _may, (EXISTS (SELECT FROM (SELECT "i"."name" AS "name") AS _n WHERE "_n"."name" IS NOT NULL)) IS TRUE AS _stays, (("t"."name" IS NULL OR "t"."name" IS NOT DISTINCT FROM "i"."name")) IS TRUE AS "_passed0", ((((coalesce("t"."size", 0) + $5::bigint) BETWEEN -9007199254740991 AND 9007199254740991) IS TRUE)) IS TRUE AS "_fits0", ((SELECT cardinality(_v.value) <= 500000 AND pg_column_size(_v.value) <= 16777216 FROM (SELECT (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($6::text[]) ORDER BY _k.n) || $7::text[]) AS value OFFSET 0) AS _v)) IS TRUE AS "_fits1", ((SELECT (pg_column_size(_v.value) <= 200000 OR ((SELECT count(*) FROM jsonb_path_query(_v.value, 'strict $.**')) <= 500000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value)) <= 50000 AND (SELECT count(*) FROM jsonb_object_keys(_v.value #> $8::text[])) <= 50000)) AND pg_column_size(_v.value) <= 16777216 FROM (SELECT ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $9::text[] || $10::jsonb || jsonb_build_object($11::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $12::text[])) = 'object' THEN ("t"."extra" #> $12::text[]) ELSE '{}'::jsonb END) || $13::jsonb))) AS value OFFSET 0) AS _v)) IS TRUE AS "_fits2" FROM "project_demo"."city" AS t, (SELECT $14::text AS "name") AS i WHERE "t"."id" = ANY(ARRAY(SELECT _f.id FROM found AS _f)) AND ("t"."id" = $15::uuid AND "t"."id" = $16::uuid) ORDER BY "t"."id" FOR NO KEY UPDATE OF t), verdict AS MATERIALIZED (SELECT count(*)::int AS matched, min(g._key::text) FILTER (WHERE NOT g._may) AS denied, ARRAY[min(g._key::text) FILTER (WHERE NOT "g"."_passed0")]::text[] AS guarded, min(g._key::text) FILTER (WHERE NOT ("g"."_fits0" AND "g"."_fits1" AND "g"."_fits2")) AS unfit, min(g._key::text) FILTER (WHERE NOT g._stays) AS leaving, count(*) <= 10 AND coalesce(bool_and(g._may), true) AND coalesce(bool_and(g._stays), true) AND coalesce(bool_and("g"."_passed0"), true) AND coalesce(bool_and("g"."_fits0"), true) AND coalesce(bool_and("g"."_fits1"), true) AND coalesce(bool_and("g"."_fits2"), true) AS ok FROM target AS g), affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "size" = (coalesce("t"."size", 0) + $5::bigint), "tags" = (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($6::text[]) ORDER BY _k.n) || $7::text[]), "extra" = ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $9::text[] || $10::jsonb || jsonb_build_object($11::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $12::text[])) = 'object' THEN ("t"."extra" #> $12::text[]) ELSE '{}'::jsonb END) || $13::jsonb))), "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM target AS g, (SELECT $14::text AS "name") AS i WHERE "t"."id" = g._key AND (SELECT ok FROM verdict) RETURNING 1) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, verdict.matched, verdict.denied, verdict.guarded, verdict.unfit, verdict.leaving, (SELECT count(*)::int FROM affected) AS affected FROM verdict
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = 1
-- $6 = ["a"]
-- $7 = ["b"]
-- $8 = ["b"]
-- $9 = ["a"]
-- $10 = "{\"d\":1}"
-- $11 = "b"
-- $12 = ["b"]
-- $13 = "{\"c\":[1]}"
-- $14 = "Oslo"
-- $15 = "0198c0de-0000-7000-8000-000000000001"
-- $16 = "0198c0de-0000-7000-8000-000000000001"

-- which of the units that match would get values of another one
WITH found AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint LIMIT 11), edited AS MATERIALIZED (SELECT "t"."id" AS _key, "i"."name" AS "_v0", (coalesce("t"."size", 0) + $4::bigint) AS "_v1" FROM "project_demo"."city" AS t, (SELECT $5::text AS "name") AS i WHERE "t"."id" = ANY(ARRAY(SELECT _f.id FROM found AS _f))) SELECT ARRAY[(SELECT min(u._key::text) FROM (SELECT g._key, g."_v0" IS NOT NULL AND (EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = g."_v0" AND "t"."id" <> g._key) OR row_number() OVER (PARTITION BY g."_v0" ORDER BY g._key) > 1) AS taken FROM edited AS g) AS u WHERE u.taken), (SELECT min(u._key::text) FROM (SELECT g._key, g."_v0" IS NOT NULL AND g."_v1" IS NOT NULL AND (EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = g."_v0" AND "t"."size" = g."_v1" AND "t"."id" <> g._key) OR row_number() OVER (PARTITION BY g."_v0", g."_v1" ORDER BY g._key) > 1) AS taken FROM edited AS g) AS u WHERE u.taken)]::text[] AS units
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = 1
-- $5 = "Oslo"

-- which of the units that match would fail checks
WITH found AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint LIMIT 11) SELECT ARRAY[min("t"."id"::text) FILTER (WHERE EXISTS (SELECT FROM (SELECT (coalesce("t"."size", 0) + $4::bigint) AS "size", "i"."name" AS "name", "t"."price" AS "price") AS _n WHERE (("_n"."size" < $5::bigint OR (NOT ("_n"."name" = $6::text)) OR "_n"."price" IS NOT NULL)) IS FALSE)), min("t"."id"::text) FILTER (WHERE EXISTS (SELECT FROM (SELECT "t"."_xmin" AS "_xmin", (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($7::text[]) ORDER BY _k.n) || $8::text[]) AS "tags", (coalesce("t"."size", 0) + $4::bigint) AS "size", ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $9::text[] || $10::jsonb || jsonb_build_object($11::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $12::text[])) = 'object' THEN ("t"."extra" #> $12::text[]) ELSE '{}'::jsonb END) || $13::jsonb))) AS "extra") AS _n WHERE (("_n"."_xmin" <> $14::text AND "_n"."tags" && $15::text[] AND (NOT ("_n"."size" = ANY($16::bigint[]))) AND "_n"."extra" #>> $17::text[] = $18)) IS FALSE))]::text[] AS units FROM "project_demo"."city" AS t, (SELECT $19::text AS "name") AS i WHERE "t"."id" = ANY(ARRAY(SELECT _f.id FROM found AS _f))
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = 1
-- $5 = 9
-- $6 = "it's \\"
-- $7 = ["a"]
-- $8 = ["b"]
-- $9 = ["a"]
-- $10 = "{\"d\":1}"
-- $11 = "b"
-- $12 = ["b"]
-- $13 = "{\"c\":[1]}"
-- $14 = "a"
-- $15 = ["a","b,c"]
-- $16 = [1,2]
-- $17 = []
-- $18 = "1"
-- $19 = "Oslo"

-- all units that match locked, to be deleted
WITH found AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint LIMIT 11), target AS MATERIALIZED (SELECT "t"."id" AS _key, ("t"."id" = $4::uuid) IS TRUE AS _may FROM "project_demo"."city" AS t WHERE "t"."id" = ANY(ARRAY(SELECT _f.id FROM found AS _f)) AND ("t"."id" = $5::uuid AND "t"."id" = $6::uuid) ORDER BY "t"."id" FOR UPDATE OF t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, count(*)::int AS matched, min(g._key::text) FILTER (WHERE NOT g._may) AS denied, CASE WHEN count(*) <= 10 AND coalesce(bool_and(g._may), true) THEN array_agg(g._key::text ORDER BY g._key) END AS keys FROM target AS g
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = "0198c0de-0000-7000-8000-000000000001"
-- $6 = "0198c0de-0000-7000-8000-000000000001"

-- units looked up by unique values
SELECT m.v, u.n, u.id, u.tag, CASE WHEN sum(octet_length(u.body)) OVER (ROWS UNBOUNDED PRECEDING) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE u.body END AS body FROM (SELECT (SELECT "version" FROM "project_demo"."_model") AS v) AS m LEFT JOIN (SELECT i._n::int AS n, "t"."id"::text AS id, (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, CASE WHEN ("t"."id" = $1::uuid) IS TRUE THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id") AS _r)::text END AS body FROM ROWS FROM (json_to_recordset($2::json) AS ("name" text, "size" bigint)) WITH ORDINALITY AS i("name", "size", _n) JOIN "project_demo"."city" AS t ON "t"."name" = "i"."name" AND "t"."size" = "i"."size") AS u ON true
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "[{\"name\":\"Oslo\",\"size\":1}]"

-- an update of several units, each to values of its own
WITH input AS MATERIALIZED (SELECT i.* FROM ROWS FROM (json_to_recordset($1::json) AS ("name" text), unnest($2::uuid[])) WITH ORDINALITY AS i("name", _key, _n)), target AS MATERIALIZED (SELECT i._n::int - 1 AS _n, ("t"."id" = $3::uuid) IS TRUE AS "_seen", ("t"."id" = $4::uuid) IS TRUE AS "_may", ("t"."id" = $5::uuid) IS TRUE AS "_rule0", (("t"."name" IS NULL OR "t"."name" IS NOT DISTINCT FROM "i"."name")) IS TRUE AS "_passed0", (EXISTS (SELECT FROM (SELECT "i"."name" AS "name") AS _n WHERE "_n"."name" IS NOT NULL)) IS TRUE AS "_stays", (true) IS TRUE AS "_keeps0" FROM input AS i JOIN "project_demo"."city" AS t ON "t"."id" = "i"."_key" ORDER BY "t"."id" FOR NO KEY UPDATE OF t), verdict AS MATERIALIZED (SELECT ((SELECT "version" FROM "project_demo"."_model") = $6::bigint AND count(*) = $7::bigint AND bool_and("g"."_seen") AND bool_and("g"."_may") AND bool_and("g"."_rule0") AND bool_and("g"."_passed0") AND bool_and("g"."_stays") AND bool_and("g"."_keeps0")) IS TRUE AS ok, json_build_object('seen', array_agg(g._n ORDER BY g._n) FILTER (WHERE g._seen), 'denied', array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_may"), 'ruled', json_build_array(array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_rule0")), 'guarded', json_build_array(array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_passed0")), 'leaving', array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_stays"), 'unruled', json_build_array(array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_keeps0"))) AS failed FROM target AS g), affected AS (UPDATE "project_demo"."city" AS t SET "name" = "i"."name", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM input AS i WHERE "t"."id" = "i"."_key" AND (SELECT ok FROM verdict) RETURNING i._n, t.*), answer AS MATERIALIZED (SELECT t._n::int - 1 AS n, (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, CASE WHEN "t"."name" IS NOT NULL THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text ELSE (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id") AS _r)::text END AS body FROM affected AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN NOT verdict.ok THEN verdict.failed END AS failed, a.n, a.tag, CASE WHEN sum(octet_length(a.body)) OVER (ROWS UNBOUNDED PRECEDING) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM verdict LEFT JOIN answer AS a ON true
-- $1 = "[{\"name\":\"Oslo\"}]"
-- $2 = ["0198c0de-0000-7000-8000-000000000001"]
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = "0198c0de-0000-7000-8000-000000000001"
-- $6 = 7
-- $7 = 1

-- the same without answers
WITH input AS MATERIALIZED (SELECT i.* FROM ROWS FROM (json_to_recordset($1::json) AS ("id" uuid, "name" text, "tags" text[], "extra" jsonb, "land" text, "_xmin" text, "metadata" jsonb), unnest($2::uuid[])) WITH ORDINALITY AS i("id", "name", "tags", "extra", "land", "_xmin", "metadata", _key, _n)), target AS MATERIALIZED (SELECT i._n::int - 1 AS _n, ("t"."id" = $3::uuid) IS TRUE AS "_seen", ("t"."id" = $4::uuid) IS TRUE AS "_may", (true) IS TRUE AS "_stays" FROM input AS i JOIN "project_demo"."city" AS t ON "t"."id" = "i"."_key" ORDER BY "t"."id" FOR NO KEY UPDATE OF t), verdict AS MATERIALIZED (SELECT ((SELECT "version" FROM "project_demo"."_model") = $5::bigint AND count(*) = $6::bigint AND bool_and("g"."_seen") AND bool_and("g"."_may") AND bool_and("g"."_stays")) IS TRUE AS ok, json_build_object('seen', array_agg(g._n ORDER BY g._n) FILTER (WHERE g._seen), 'denied', array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_may"), 'ruled', json_build_array(), 'guarded', json_build_array(), 'leaving', array_agg(g._n ORDER BY g._n) FILTER (WHERE NOT "g"."_stays"), 'unruled', json_build_array()) AS failed FROM target AS g), affected AS (UPDATE "project_demo"."city" AS t SET "id" = "i"."id", "name" = "i"."name", "tags" = "i"."tags", "extra" = "i"."extra", "land" = "i"."land", "_xmin" = "i"."_xmin", "metadata" = "i"."metadata", "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') FROM input AS i WHERE "t"."id" = "i"."_key" AND (SELECT ok FROM verdict) RETURNING 1 AS n) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN NOT verdict.ok THEN verdict.failed END AS failed, NULL::int AS n FROM verdict
-- $1 = "[{\"name\":\"Oslo\"},{\"name\":\"Bergen\"}]"
-- $2 = ["0198c0de-0000-7000-8000-000000000001"]
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = 7
-- $6 = 2

-- an insert of what is not there yet
WITH input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM (SELECT $1::uuid AS "id", $2::text AS "name", $3::text[] AS "tags", $4::jsonb AS "extra", $5::text AS "land", $6::text AS "_xmin", $7::jsonb AS "metadata") AS i), affected AS (INSERT INTO "project_demo"."city" AS t ("id", "name", "tags", "extra", "land", "_xmin", "metadata", "inserted_at", "updated_at") SELECT "i"."id", "i"."name", "i"."tags", "i"."extra", "i"."land", "i"."_xmin", "i"."metadata", "i"."_now", "i"."_now" FROM input AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $8::bigint ON CONFLICT ("name") DO NOTHING RETURNING t.*), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', 1 FROM affected) SELECT a.tag, CASE WHEN octet_length(a.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body FROM (SELECT (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", "t"."name" AS "name", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", "t"."tags" AS "tags", "t"."_xmin" AS "xmin") AS _r)::text AS body FROM affected AS t OFFSET 0) AS a
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "Rome"
-- $3 = ["a"]
-- $4 = "{\"a\":1}"
-- $5 = null
-- $6 = "x"
-- $7 = "{}"
-- $8 = 7

-- a unit locked, to be edited
SELECT 1 AS locked FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text = ANY($3::text[]) AND ("t"."id" = $4::uuid OR (SELECT false)) FOR NO KEY UPDATE OF t
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = ["1","2"]
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- a unit locked, to be deleted
SELECT 1 AS locked FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text = ANY($3::text[]) AND ("t"."id" = $4::uuid OR (SELECT false)) FOR UPDATE OF t
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = ["1","2"]
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- a unit locked by an edit that changes nothing
UPDATE "project_demo"."city" AS t SET "updated_at" = t."updated_at" WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text = ANY($3::text[]) AND ("t"."id" = $4::uuid OR (SELECT false)) RETURNING 1 AS locked
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = ["1","2"]
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- units held before a run
SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = ANY($1::uuid[]) ORDER BY "t"."id" FOR NO KEY UPDATE OF t
-- $1 = ["0198c0de-0000-7000-8000-000000000001"]

-- units that may be deleted, held
SELECT FROM "project_demo"."land" AS t WHERE "t"."id" = ANY($1::text[]) ORDER BY "t"."id" FOR UPDATE OF t
-- $1 = ["IT"]

-- tables held before a run
LOCK TABLE "project_demo"."city", "project_demo"."land" IN EXCLUSIVE MODE

-- the version of the model kept
SELECT FROM "project_demo"."_model" FOR SHARE

-- a deletion
WITH affected AS (DELETE FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text = ANY($3::text[]) AND ("t"."id" = $4::uuid OR (SELECT false)) RETURNING 1 AS deleted), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', -1 FROM affected) SELECT 1 AS deleted FROM affected
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = ["1","2"]
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- how many refer to it
SELECT count(*)::int AS count, min("t"."land"::text) AS id FROM "project_demo"."city" AS t WHERE "t"."land" = ANY($1::text[])
-- $1 = ["IT"]

-- which refer to it
SELECT "t"."id"::text AS id, "t"."land"::text AS target FROM "project_demo"."city" AS t WHERE "t"."land" = ANY($1::text[]) LIMIT 100 FOR UPDATE
-- $1 = ["IT"]

-- whether one refers to it still
SELECT "t"."id"::text AS id, "t"."land"::text AS target FROM "project_demo"."city" AS t WHERE "t"."land" = ANY($1::text[]) AND NOT ("t"."id" = ANY($2::uuid[])) AND "t"."id" = ANY($3::uuid[]) LIMIT 1 FOR UPDATE
-- $1 = ["IT"]
-- $2 = ["0198c0de-0000-7000-8000-000000000001"]
-- $3 = ["0198c0de-0000-7000-8000-000000000001"]

-- references emptied
WITH affected AS (UPDATE "project_demo"."city" AS t SET "land" = NULL, "updated_at" = greatest(statement_timestamp(), (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC') WHERE "t"."land" = ANY($1::text[]) AND "t"."id" = ANY($2::uuid[]) RETURNING 1) SELECT count(*)::int AS edited FROM affected
-- $1 = ["IT"]
-- $2 = ["0198c0de-0000-7000-8000-000000000001"]

-- some units deleted
WITH affected AS (DELETE FROM "project_demo"."city" AS t WHERE "t"."id" = ANY($1::uuid[]) RETURNING 1 AS deleted), counted AS (INSERT INTO "project_demo"."_count" ("table", "change") SELECT 'city', -count(*) FROM affected HAVING count(*) > 0) SELECT count(*) AS deleted FROM affected
-- $1 = ["0198c0de-0000-7000-8000-000000000001"]

-- which values another unit has
SELECT ARRAY[EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = "i"."name" AND "t"."id" <> ALL($1::uuid[])), EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = "i"."name" AND "t"."size" = "o"."size" AND "t"."id" <> ALL($1::uuid[]))] AS taken FROM ROWS FROM (json_to_recordset($2::json) AS ("name" text), unnest($3::uuid[])) WITH ORDINALITY AS i("name", _key, _n) LEFT JOIN "project_demo"."city" AS o ON "o"."id" = "i"."_key"
-- $1 = ["0198c0de-0000-7000-8000-000000000001"]
-- $2 = "[{\"name\":\"Rome\"}]"
-- $3 = ["0198c0de-0000-7000-8000-000000000001"]

-- which values of several others have
SELECT ARRAY[EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = "i"."name") OR ("i"."name" IS NOT NULL AND row_number() OVER (PARTITION BY "i"."name" ORDER BY i._n) > 1), EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = "i"."name" AND "t"."size" = "i"."size") OR ("i"."name" IS NOT NULL AND "i"."size" IS NOT NULL AND row_number() OVER (PARTITION BY "i"."name", "i"."size" ORDER BY i._n) > 1)] AS taken FROM ROWS FROM (json_to_recordset($1::json) AS ("name" text, "size" bigint)) WITH ORDINALITY AS i("name", "size", _n) ORDER BY i._n
-- $1 = "[{\"name\":\"Rome\",\"size\":1},{\"name\":\"Oslo\",\"size\":1}]"

-- which values of several edited ones have
SELECT ARRAY[EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."name" = "i"."name" AND "t"."size" = "o"."size" AND "t"."id" <> ALL($1::uuid[])) OR ("i"."name" IS NOT NULL AND "o"."size" IS NOT NULL AND row_number() OVER (PARTITION BY "i"."name", "o"."size" ORDER BY i._n) > 1)] AS taken FROM ROWS FROM (json_to_recordset($2::json) AS ("name" text), unnest($3::uuid[])) WITH ORDINALITY AS i("name", _key, _n) LEFT JOIN "project_demo"."city" AS o ON "o"."id" = "i"."_key" ORDER BY i._n
-- $1 = ["0198c0de-0000-7000-8000-000000000001","0198c0de-0000-7000-8000-000000000002"]
-- $2 = "[{\"name\":\"Rome\"},{\"name\":\"Oslo\"}]"
-- $3 = ["0198c0de-0000-7000-8000-000000000001","0198c0de-0000-7000-8000-000000000002"]

-- which checks new units fail
SELECT i._n::int - 1 AS n, ARRAY[EXISTS (SELECT FROM (SELECT NULL::bigint AS "size", "i"."name" AS "name", NULL::numeric AS "price") AS _n WHERE (("_n"."size" < $1::bigint OR (NOT ("_n"."name" = $2::text)) OR "_n"."price" IS NOT NULL)) IS FALSE), EXISTS (SELECT FROM (SELECT NULL::text AS "_xmin", "i"."tags" AS "tags", NULL::bigint AS "size", NULL::jsonb AS "extra") AS _n WHERE (("_n"."_xmin" <> $3::text AND "_n"."tags" && $4::text[] AND (NOT ("_n"."size" = ANY($5::bigint[]))) AND "_n"."extra" #>> $6::text[] = $7)) IS FALSE)] AS failed FROM ROWS FROM (json_to_recordset($8::json) AS ("name" text, "tags" text[])) WITH ORDINALITY AS i("name", "tags", _n) ORDER BY i._n
-- $1 = 9
-- $2 = "it's \\"
-- $3 = "a"
-- $4 = ["a","b,c"]
-- $5 = [1,2]
-- $6 = []
-- $7 = "1"
-- $8 = "[{\"name\":\"Rome\"},{\"name\":\"Oslo\",\"tags\":[\"a\"]}]"

-- which checks an edited unit fails
SELECT i._n::int - 1 AS n, ARRAY[EXISTS (SELECT FROM (SELECT (coalesce("t"."size", 0) + $1::bigint) AS "size", "i"."name" AS "name", "t"."price" AS "price") AS _n WHERE (("_n"."size" < $2::bigint OR (NOT ("_n"."name" = $3::text)) OR "_n"."price" IS NOT NULL)) IS FALSE), EXISTS (SELECT FROM (SELECT "t"."_xmin" AS "_xmin", (ARRAY(SELECT _k.item FROM unnest("t"."tags") WITH ORDINALITY AS _k(item, n) WHERE _k.item <> ALL($4::text[]) ORDER BY _k.n) || $5::text[]) AS "tags", (coalesce("t"."size", 0) + $1::bigint) AS "size", ((CASE WHEN jsonb_typeof("t"."extra") = 'object' THEN "t"."extra" ELSE '{}'::jsonb END) - $6::text[] || $7::jsonb || jsonb_build_object($8::text, ((CASE WHEN jsonb_typeof(("t"."extra" #> $9::text[])) = 'object' THEN ("t"."extra" #> $9::text[]) ELSE '{}'::jsonb END) || $10::jsonb))) AS "extra") AS _n WHERE (("_n"."_xmin" <> $11::text AND "_n"."tags" && $12::text[] AND (NOT ("_n"."size" = ANY($13::bigint[]))) AND "_n"."extra" #>> $14::text[] = $15)) IS FALSE)] AS failed FROM ROWS FROM (json_to_recordset($16::json) AS ("name" text), unnest($17::uuid[])) WITH ORDINALITY AS i("name", _key, _n) JOIN "project_demo"."city" AS t ON "t"."id" = "i"."_key" ORDER BY i._n
-- $1 = 1
-- $2 = 9
-- $3 = "it's \\"
-- $4 = ["a"]
-- $5 = ["b"]
-- $6 = ["a"]
-- $7 = "{\"d\":1}"
-- $8 = "b"
-- $9 = ["b"]
-- $10 = "{\"c\":[1]}"
-- $11 = "a"
-- $12 = ["a","b,c"]
-- $13 = [1,2]
-- $14 = []
-- $15 = "1"
-- $16 = "[{\"name\":\"Rome\"}]"
-- $17 = ["0198c0de-0000-7000-8000-000000000001"]

-- whether an index is a large one
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2) OR (SELECT count(*) FROM ((SELECT 1 FROM "project_demo"."city" LIMIT 10001)) AS _first) > 10000 AS large
-- $1 = "project_demo"
-- $2 = "_city_size_idx"

-- whether it may be too small for a value
SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE coalesce(octet_length("t"."name"::text), 0) + coalesce((SELECT max(octet_length(e::text)) FROM unnest("t"."tags") AS e), 0) + coalesce(octet_length("t"."price"::text), 0) > 2600) AS found

-- which indexes stand
SELECT i.relname AS name, x.indisvalid AS valid FROM pg_catalog.pg_index AS x JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = i.relnamespace WHERE n.nspname = $1
-- $1 = "project_demo"

-- the neighbours of a unit
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _page AS MATERIALIZED (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT DISTINCT ON (l."child_kind", l."child_id") l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END ORDER BY depth, kind, id LIMIT 20) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, false AS over, CASE WHEN (SELECT count(*) FROM _page) < 20 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT DISTINCT ON (l."child_kind", l."child_id") l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS c) END AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"

-- those by links of one type
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _page AS MATERIALIZED (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND l."link_id" = $3 AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END ORDER BY depth, kind, id LIMIT 20) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, false AS over, CASE WHEN (SELECT count(*) FROM _page) < 20 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND l."link_id" = $3 AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS c) END AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"

-- a walk of three steps, over units that a rule lets through
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _w(depth, nodes, vias, seen, links) AS (SELECT -1, ARRAY['city' || '/' || (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t)] COLLATE "C", ARRAY[''] COLLATE "C", (ARRAY[]::text[]) COLLATE "C", 0::bigint WHERE (SELECT found FROM _s) UNION ALL SELECT w.depth + 1, x.nodes, x.vias, CASE WHEN w.depth < 1 THEN w.seen || x.nodes || CASE WHEN w.depth < 0 THEN w.nodes END END, x.links FROM _w AS w CROSS JOIN LATERAL (SELECT array_agg(u.node) FILTER (WHERE u.ok) AS nodes, array_agg(u.via) FILTER (WHERE u.ok) AS vias, coalesce(sum(u.links), 0)::bigint AS links FROM (SELECT n.node, n.via, n.links, n.node IS NOT NULL AND CASE WHEN n.kind IN ('land') THEN true WHEN n.kind = 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."id" = $3::uuid) ELSE false END AS ok FROM (SELECT m.node, m.via, m.links, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM (SELECT m.node, min(m.via) AS via, count(*) AS links FROM (SELECT CASE WHEN e.node NOT IN (SELECT unnest(w.seen)) THEN e.node END AS node, e.via FROM (SELECT l.node, l.via FROM (SELECT split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM unnest(w.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."parent_kind" || '/' || l."parent_id" AS node, l."link_id" || '/' || l."child_id" || chr(1) || l."child_kind" AS via FROM "project_demo"."_link" AS l WHERE l."child_kind" = f.kind AND l."child_id" = f.id AND l."link_id" = $4 OFFSET 0) AS l LIMIT 2000001) AS e) AS m GROUP BY m.node) AS m OFFSET 0) AS n OFFSET 0) AS u) AS x WHERE w.depth < 2 AND w.nodes IS NOT NULL AND w.links <= 2000000 AND coalesce(cardinality(w.seen), 0) <= 200000), _l AS MATERIALIZED (SELECT depth, nodes, vias, cardinality(nodes) AS c, sum(cardinality(nodes)) OVER (ORDER BY depth) AS upto FROM _w WHERE depth >= 0 AND nodes IS NOT NULL), _page AS MATERIALIZED (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id, split_part(m.via, '/', 1) AS link_id, left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(split_part(m.via, chr(1), -1))) AS near, split_part(m.via, chr(1), -1) AS near_kind FROM (SELECT * FROM _l WHERE upto > 0 AND upto - c < 0 + 20 OFFSET 0) AS s CROSS JOIN LATERAL unnest(s.nodes, s.vias) AS m(node, via) ORDER BY depth, kind, id LIMIT 20) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, ((SELECT coalesce(sum(c), 0) FROM _l) > 200000 OR (SELECT coalesce(max(links), 0) FROM _w) > 2000000) AS over, (SELECT coalesce(sum(c), 0) FROM _l) AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.id AS parent_id, n.near AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.kind AND l."parent_id" = n.id AND l."child_kind" = n.near_kind AND l."child_id" = n.near AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.id AS parent_id, n.near AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.kind AND l."parent_id" = n.id AND l."child_kind" = n.near_kind AND l."child_id" = n.near AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "road"

-- a walk, filtered and ordered
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _w(depth, nodes, vias, seen, links) AS (SELECT -1, ARRAY['city' || '/' || (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t)] COLLATE "C", ARRAY[''] COLLATE "C", (ARRAY[]::text[]) COLLATE "C", 0::bigint WHERE (SELECT found FROM _s) UNION ALL SELECT w.depth + 1, x.nodes, x.vias, CASE WHEN w.depth < 0 THEN w.seen || x.nodes || CASE WHEN w.depth < 0 THEN w.nodes END END, x.links FROM _w AS w CROSS JOIN LATERAL (SELECT array_agg(u.node) FILTER (WHERE u.ok) AS nodes, array_agg(u.via) FILTER (WHERE u.ok) AS vias, coalesce(sum(u.links), 0)::bigint AS links FROM (SELECT n.node, n.via, n.links, n.node IS NOT NULL AND CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END AS ok FROM (SELECT m.node, m.via, m.links, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM (SELECT m.node, min(m.via) AS via, count(*) AS links FROM (SELECT CASE WHEN e.node NOT IN (SELECT unnest(w.seen)) THEN e.node END AS node, e.via FROM (SELECT l.node, l.via FROM (SELECT split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM unnest(w.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."child_kind" || '/' || l."child_id" AS node, l."link_id" || '/' || l."parent_id" || chr(1) || l."parent_kind" AS via FROM "project_demo"."_link" AS l WHERE l."parent_kind" = f.kind AND l."parent_id" = f.id OFFSET 0) AS l LIMIT 2000001) AS e) AS m GROUP BY m.node) AS m OFFSET 0) AS n OFFSET 0) AS u) AS x WHERE w.depth < 1 AND w.nodes IS NOT NULL AND w.links <= 2000000 AND coalesce(cardinality(w.seen), 0) <= 200000), _l AS MATERIALIZED (SELECT depth, nodes, vias, cardinality(nodes) AS c, sum(cardinality(nodes)) OVER (ORDER BY depth) AS upto FROM _w WHERE depth >= 0 AND nodes IS NOT NULL), _page AS MATERIALIZED (SELECT n.*, CASE n.kind WHEN 'city' THEN (SELECT NULL::text COLLATE "C" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) WHEN 'land' THEN (SELECT "t"."title" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) END AS "k0" FROM (SELECT * FROM (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id, split_part(m.via, '/', 1) AS link_id, left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(split_part(m.via, chr(1), -1))) AS near, split_part(m.via, chr(1), -1) AS near_kind FROM _l AS s CROSS JOIN LATERAL unnest(s.nodes, s.vias) AS m(node, via)) AS n WHERE (CASE n.kind WHEN 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."size" = $3::bigint) WHEN 'land' THEN EXISTS (SELECT FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text AND false) END) IS TRUE) AS n ORDER BY "k0" DESC, depth, kind, id LIMIT 20 OFFSET $4::bigint) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, ((SELECT coalesce(sum(c), 0) FROM _l) > 200000 OR (SELECT coalesce(max(links), 0) FROM _w) > 2000000) AS over, (SELECT count(*) FROM (SELECT * FROM (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id, split_part(m.via, '/', 1) AS link_id, left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(split_part(m.via, chr(1), -1))) AS near, split_part(m.via, chr(1), -1) AS near_kind FROM _l AS s CROSS JOIN LATERAL unnest(s.nodes, s.vias) AS m(node, via)) AS n WHERE (CASE n.kind WHEN 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."size" = $3::bigint) WHEN 'land' THEN EXISTS (SELECT FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text AND false) END) IS TRUE) AS c) AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.near_kind AND l."parent_id" = n.near AND l."child_kind" = n.kind AND l."child_id" = n.id AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id" AS "id", 'land'::text AS "kind_id", "t"."id" AS "iso", "t"."title" AS "title", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.near_kind AND l."parent_id" = n.near AND l."child_kind" = n.kind AND l."child_id" = n.id AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 1
-- $4 = 10

-- neighbours by a value of the link
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _page AS MATERIALIZED (SELECT n.* FROM (SELECT 0 AS depth, n.*, 'city' AS near_kind FROM (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0", "l"."inserted_at" AS "_0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND l."link_id" = $3 AND (SELECT found FROM _s)) AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS n CROSS JOIN LATERAL (SELECT n."_0" AS "inserted_at") AS "tl" WHERE "tl"."inserted_at" > $4::timestamptz ORDER BY n.depth, n.kind, n.id, n.link_id, n.near, n.near_kind LIMIT 20) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, false AS over, CASE WHEN (SELECT count(*) FROM _page) < 20 THEN (SELECT count(*) FROM _page) ELSE (SELECT count(*) FROM (SELECT n.* FROM (SELECT 0 AS depth, n.*, 'city' AS near_kind FROM (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0", "l"."inserted_at" AS "_0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND l."link_id" = $3 AND (SELECT found FROM _s)) AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS n CROSS JOIN LATERAL (SELECT n."_0" AS "inserted_at") AS "tl" WHERE "tl"."inserted_at" > $4::timestamptz ORDER BY n.depth, n.kind, n.id, n.link_id, n.near, n.near_kind) AS c) END AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"
-- $4 = "2024-01-01T00:00:00Z"

-- a walk by values of links of two types, after a cursor
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _w(depth, nodes, vias, seen, links) AS (SELECT -1, ARRAY['city' || '/' || (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t)] COLLATE "C", ARRAY[''] COLLATE "C", (ARRAY[]::text[]) COLLATE "C", 0::bigint WHERE (SELECT found FROM _s) UNION ALL SELECT w.depth + 1, x.nodes, x.vias, CASE WHEN w.depth < 1 THEN w.seen || x.nodes || CASE WHEN w.depth < 0 THEN w.nodes END END, x.links FROM _w AS w CROSS JOIN LATERAL (SELECT array_agg(u.node) FILTER (WHERE u.ok) AS nodes, array_agg(u.via) FILTER (WHERE u.ok) AS vias, coalesce(sum(u.links), 0)::bigint AS links FROM (SELECT n.node, n.via, n.links, n.node IS NOT NULL AND CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END AS ok FROM (SELECT m.node, m.via, m.links, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM (SELECT m.node, min(m.via) AS via, count(*) AS links FROM (SELECT CASE WHEN e.node NOT IN (SELECT unnest(w.seen)) THEN e.node END AS node, e.via FROM (SELECT l.node, l.via FROM (SELECT split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM unnest(w.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."child_kind" || '/' || l."child_id" AS node, l."link_id" || '/' || l."parent_id" || chr(1) || l."parent_kind" AS via FROM "project_demo"."_link" AS l WHERE l."parent_kind" = f.kind AND l."parent_id" = f.id OFFSET 0) AS l LIMIT 2000001) AS e) AS m GROUP BY m.node) AS m OFFSET 0) AS n OFFSET 0) AS u) AS x WHERE w.depth < 2 AND w.nodes IS NOT NULL AND w.links <= 2000000 AND coalesce(cardinality(w.seen), 0) <= 200000), _l AS MATERIALIZED (SELECT depth, nodes, vias, cardinality(nodes) AS c, sum(cardinality(nodes)) OVER (ORDER BY depth) AS upto FROM _w WHERE depth >= 0 AND nodes IS NOT NULL), _page AS MATERIALIZED (SELECT n.*, row_number() OVER (ORDER BY n."k0" DESC, n.depth, n.kind, n.id) AS at FROM (SELECT n.*, CASE n.kind WHEN 'city' THEN (SELECT NULL::text COLLATE "C" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) WHEN 'land' THEN (SELECT "t"."title" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) END AS "k0" FROM (SELECT DISTINCT ON (n.depth, n.kind, n.id) n.* FROM (SELECT e.* FROM (SELECT f.depth + 1 AS depth, l.* FROM (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM _w AS s CROSS JOIN LATERAL unnest(s.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many WHERE s.depth < 2 AND NOT ((SELECT coalesce(sum(c), 0) FROM _l) > 200000 OR (SELECT coalesce(max(links), 0) FROM _w) > 2000000) OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, l."parent_kind" AS near_kind, "l"."inserted_at" AS "_0", coalesce("l"."parent_kind", "l"."child_kind") AS "_1" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = f.kind AND l."parent_id" = f.id OFFSET 0) AS l OFFSET 0) AS e JOIN (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM _w AS s CROSS JOIN LATERAL unnest(s.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many WHERE s.depth >= 0) AS n ON n.depth = e.depth AND n.kind = e.kind AND n.id = e.id) AS n CROSS JOIN LATERAL (SELECT n."_0" AS "inserted_at", n."_1" AS "weight", n.depth AS "depth") AS "tl" WHERE "tl"."inserted_at" > $3::timestamptz ORDER BY n.depth, n.kind, n.id, n.link_id, n.near, n.near_kind) AS n CROSS JOIN LATERAL (SELECT n."_0" AS "inserted_at", n."_1" AS "weight", n.depth AS "depth") AS "tl") AS n WHERE (n."k0" <= $4::text AND ((n."k0" < $5::text) OR (n."k0" = $6::text AND n.depth > $7::integer) OR (n."k0" = $8::text AND n.depth = $9::integer AND n.kind > $10::text) OR (n."k0" = $11::text AND n.depth = $12::integer AND n.kind = $13::text AND n.id > $14::text))) ORDER BY n."k0" DESC, n.depth, n.kind, n.id LIMIT 21) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, ((SELECT coalesce(sum(c), 0) FROM _l) > 200000 OR (SELECT coalesce(max(links), 0) FROM _w) > 2000000) AS over, (SELECT count(*) FROM (SELECT DISTINCT ON (n.depth, n.kind, n.id) n.* FROM (SELECT e.* FROM (SELECT f.depth + 1 AS depth, l.* FROM (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM _w AS s CROSS JOIN LATERAL unnest(s.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many WHERE s.depth < 2 AND NOT ((SELECT coalesce(sum(c), 0) FROM _l) > 200000 OR (SELECT coalesce(max(links), 0) FROM _w) > 2000000) OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, l."parent_kind" AS near_kind, "l"."inserted_at" AS "_0", coalesce("l"."parent_kind", "l"."child_kind") AS "_1" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = f.kind AND l."parent_id" = f.id OFFSET 0) AS l OFFSET 0) AS e JOIN (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM _w AS s CROSS JOIN LATERAL unnest(s.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many WHERE s.depth >= 0) AS n ON n.depth = e.depth AND n.kind = e.kind AND n.id = e.id) AS n CROSS JOIN LATERAL (SELECT n."_0" AS "inserted_at", n."_1" AS "weight", n.depth AS "depth") AS "tl" WHERE "tl"."inserted_at" > $3::timestamptz ORDER BY n.depth, n.kind, n.id, n.link_id, n.near, n.near_kind) AS c) AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.near_kind AND l."parent_id" = n.near AND l."child_kind" = n.kind AND l."child_id" = n.id AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."id" AS "id", 'land'::text AS "kind_id", "t"."id" AS "iso", "t"."title" AS "title", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM "project_demo"."_link" AS l WHERE l."parent_kind" = n.near_kind AND l."parent_id" = n.near AND l."child_kind" = n.kind AND l."child_id" = n.id AND l."link_id" = n.link_id) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n WHERE n.at <= 20 ORDER BY n.at OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet, (SELECT to_json(ARRAY[n."k0"::text, n.depth::text, n.kind::text, n.id::text])::text FROM _page AS n WHERE n.at = 20 AND EXISTS (SELECT FROM _page AS o WHERE o.at > 20)) AS last
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "2024-01-01T00:00:00Z"
-- $4 = "Oslo"
-- $5 = "Oslo"
-- $6 = "Oslo"
-- $7 = "1"
-- $8 = "Oslo"
-- $9 = "1"
-- $10 = "city"
-- $11 = "Oslo"
-- $12 = "1"
-- $13 = "city"
-- $14 = "0198c0de-0000-7000-8000-000000000001"

-- neighbours after a cursor
WITH RECURSIVE _s AS MATERIALIZED (SELECT EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND "t"."id" = $2::uuid) AS found), _page AS MATERIALIZED (SELECT n.*, row_number() OVER (ORDER BY n.kind, n.id) AS at FROM (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT DISTINCT ON (l."child_kind", l."child_id") l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS n WHERE ((n.kind, n.id) > ($3::text, $4::text)) ORDER BY n.kind, n.id LIMIT 21) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, (SELECT found FROM _s) AS found, false AS over, (SELECT count(*) FROM (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT DISTINCT ON (l."child_kind", l."child_id") l."child_kind" AS kind, l."child_id" AS id, l."link_id" AS link_id, l."parent_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT "t"."id"::text FROM (SELECT $1::uuid AS "id") AS t) AND (SELECT found FROM _s) ORDER BY l."child_kind", l."child_id", l."link_id") AS n WHERE CASE WHEN n.kind IN ('city', 'land') THEN true ELSE false END) AS c) AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE n.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name", (SELECT (SELECT row_to_json(_k) FROM (SELECT n.link_id, n.near AS parent_id, n.id AS child_id, n.depth, to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS inserted_at) AS _k) FROM (SELECT "n"."_l0" AS "inserted_at") AS l) AS "link" FROM "project_demo"."land" AS t WHERE "t"."id" = n.id::text) AS "_r") END AS item FROM _page AS n WHERE n.at <= 20 ORDER BY n.at OFFSET 0) AS i) AS s)::text AS items, NULL::text[] AS unmet, (SELECT to_json(ARRAY[n.kind::text, n.id::text])::text FROM _page AS n WHERE n.at = 20 AND EXISTS (SELECT FROM _page AS o WHERE o.at > 20)) AS last
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "city"
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- the kinds that are linked
WITH RECURSIVE _p(id) AS ((SELECT l."parent_kind" FROM "project_demo"."_link" AS l ORDER BY 1 LIMIT 1) UNION ALL SELECT (SELECT l."parent_kind" FROM "project_demo"."_link" AS l WHERE l."parent_kind" > k.id ORDER BY 1 LIMIT 1) FROM _p AS k WHERE k.id IS NOT NULL), _c(id) AS ((SELECT l."child_kind" FROM "project_demo"."_link" AS l ORDER BY 1 LIMIT 1) UNION ALL SELECT (SELECT l."child_kind" FROM "project_demo"."_link" AS l WHERE l."child_kind" > k.id ORDER BY 1 LIMIT 1) FROM _c AS k WHERE k.id IS NOT NULL) SELECT id FROM _p WHERE id IS NOT NULL UNION SELECT id FROM _c WHERE id IS NOT NULL

-- links loaded
WITH _page AS (SELECT "t"."name" AS "name", json_build_object('parent', (SELECT (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT NULL::json AS item FROM (SELECT 0 AS depth, n.kind, n.id, n.link_id, n.near, 'city' AS near_kind, "n"."_l0" FROM (SELECT DISTINCT ON (l."parent_kind", l."parent_id") l."parent_kind" AS kind, l."parent_id" AS id, l."link_id" AS link_id, l."child_id" AS near, "l"."inserted_at" AS "_l0" FROM "project_demo"."_link" AS l WHERE l."child_kind" = 'city' AND l."child_id" = "t"."id"::text AND true ORDER BY l."parent_kind", l."parent_id", l."link_id") AS n WHERE true ORDER BY depth, kind, id LIMIT 100) AS n OFFSET 0) AS i) AS s)), 'child', (WITH RECURSIVE _w(depth, nodes, vias, seen, links) AS (SELECT -1, ARRAY['city' || '/' || "t"."id"::text] COLLATE "C", ARRAY[''] COLLATE "C", (ARRAY[]::text[]) COLLATE "C", 0::bigint WHERE true UNION ALL SELECT w.depth + 1, x.nodes, x.vias, CASE WHEN w.depth < 0 THEN w.seen || x.nodes || CASE WHEN w.depth < 0 THEN w.nodes END END, x.links FROM _w AS w CROSS JOIN LATERAL (SELECT array_agg(u.node) FILTER (WHERE u.ok) AS nodes, array_agg(u.via) FILTER (WHERE u.ok) AS vias, coalesce(sum(u.links), 0)::bigint AS links FROM (SELECT m.node, m.via, m.links, m.node IS NOT NULL AS ok FROM (SELECT m.node, min(m.via) AS via, count(*) AS links FROM (SELECT CASE WHEN e.node NOT IN (SELECT unnest(w.seen)) THEN e.node END AS node, e.via FROM (SELECT l.node, l.via FROM (SELECT split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id FROM unnest(w.nodes) AS m(node) CROSS JOIN generate_series(1, (SELECT 1)) AS _many OFFSET 0) AS f CROSS JOIN LATERAL (SELECT l."child_kind" || '/' || l."child_id" AS node, l."link_id" || '/' || l."parent_id" || chr(1) || l."parent_kind" AS via FROM "project_demo"."_link" AS l WHERE l."parent_kind" = f.kind AND l."parent_id" = f.id OFFSET 0) AS l LIMIT 201) AS e) AS m GROUP BY m.node) AS m) AS u) AS x WHERE w.depth < 1 AND w.nodes IS NOT NULL AND w.links <= 200 AND coalesce(cardinality(w.seen), 0) <= 100), _l AS MATERIALIZED (SELECT depth, nodes, vias, cardinality(nodes) AS c, sum(cardinality(nodes)) OVER (ORDER BY depth) AS upto FROM _w WHERE depth >= 0 AND nodes IS NOT NULL) SELECT (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT NULL::json AS item FROM (SELECT s.depth, split_part(m.node, '/', 1) AS kind, substr(m.node, strpos(m.node, '/') + 1) AS id, split_part(m.via, '/', 1) AS link_id, left(substr(m.via, strpos(m.via, '/') + 1), -1 - length(split_part(m.via, chr(1), -1))) AS near, split_part(m.via, chr(1), -1) AS near_kind FROM (SELECT * FROM _l WHERE upto > 0 AND upto - c < 0 + 100 OFFSET 0) AS s CROSS JOIN LATERAL unnest(s.nodes, s.vias) AS m(node, via) ORDER BY depth, kind, id LIMIT 100) AS n OFFSET 0) AS i) AS s))) AS "links" FROM (SELECT "t"."id", "t"."name", "t"."size", "t"."price", "t"."founded", "t"."opened", "t"."photo", "t"."tags", "t"."extra", "t"."land", "t"."_xmin", "t"."metadata", "t"."inserted_at", "t"."updated_at" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."id" LIMIT 10) AS t) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 10 THEN (SELECT count(*) FROM _page) ELSE (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') END AS count, coalesce(CASE WHEN (SELECT coalesce(sum(pg_column_size(_page)), 0) FROM _page) <= 1048576 THEN (SELECT CASE WHEN octet_length(l.items) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE l.items END FROM (SELECT coalesce(json_agg(_page), '[]')::text AS items FROM _page) AS l) END, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT row_to_json(_page) AS item FROM _page OFFSET 0) AS i) AS s)::text) AS items

-- units of two kinds
WITH _page AS MATERIALIZED (SELECT u.*, row_number() OVER (ORDER BY u."k0" DESC, u.id COLLATE "C", u.n) AS at FROM ((SELECT 0 AS n, 'city' AS kind, "t"."id"::text AS id, "t"."name" AS "k0" FROM "project_demo"."city" AS t WHERE true ORDER BY "t"."name" DESC, "t"."id"::text COLLATE "C" LIMIT 10) UNION ALL (SELECT 1 AS n, 'land' AS kind, "t"."id" AS id, NULL::text COLLATE "C" AS "k0" FROM "project_demo"."land" AS t WHERE true ORDER BY NULL::text COLLATE "C" DESC, "t"."id" COLLATE "C" LIMIT 10)) AS u ORDER BY u."k0" DESC, u.id COLLATE "C", u.n LIMIT 10) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, CASE WHEN (SELECT count(*) FROM _page) < 10 THEN (SELECT count(*) FROM _page) ELSE (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'city') + (SELECT coalesce(sum("change"), 0)::bigint FROM "project_demo"."_count" WHERE "table" = 'land') END AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE p.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name" FROM "project_demo"."city" AS t WHERE "t"."id" = p.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name" FROM "project_demo"."land" AS t WHERE "t"."id" = p.id::text) AS "_r") END AS item FROM _page AS p WHERE p.at <= 10 ORDER BY p.at OFFSET 0) AS i) AS s)::text AS items

-- those after a cursor
WITH _page AS MATERIALIZED (SELECT u.*, row_number() OVER (ORDER BY u."k0", u.id COLLATE "C", u.n) AS at FROM ((SELECT 0 AS n, 'city' AS kind, "t"."id"::text AS id, "t"."name" AS "k0" FROM "project_demo"."city" AS t WHERE "t"."size" = $1::bigint AND ("t"."name", "t"."id"::text COLLATE "C", 0) > ($2::text, $3::text, $4::integer) ORDER BY "t"."name", "t"."id"::text COLLATE "C" LIMIT 11)) AS u ORDER BY u."k0", u.id COLLATE "C", u.n LIMIT 11) SELECT (SELECT "version" FROM "project_demo"."_model" WHERE ($5::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)) AS v, (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."size" = $1::bigint) + (SELECT count(*) FROM "project_demo"."land" AS t WHERE false) AS count, (SELECT CASE WHEN max(s.upto) > 33554432 THEN repeat('-', (SELECT 1073741824))::json ELSE coalesce(json_agg(s.item) FILTER (WHERE s.upto <= 33554432), '[]') END FROM (SELECT i.item, sum(coalesce(pg_column_size(i.item), 0)) OVER (ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT CASE p.kind WHEN 'city' THEN (SELECT row_to_json(_r) FROM (SELECT "t"."name" AS "name" FROM "project_demo"."city" AS t WHERE "t"."id" = p.id::uuid) AS "_r") WHEN 'land' THEN (SELECT row_to_json(_r) FROM (SELECT NULL::text AS "name" FROM "project_demo"."land" AS t WHERE "t"."id" = p.id::text) AS "_r") END AS item FROM _page AS p WHERE p.at <= 10 ORDER BY p.at OFFSET 0) AS i) AS s)::text AS items, (SELECT to_json(ARRAY[p."k0"::text, p.id, p.n::text])::text FROM _page AS p WHERE p.at = 10 AND EXISTS (SELECT FROM _page AS o WHERE o.at > 10)) AS last
-- $1 = 1
-- $2 = "Oslo"
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "0"
-- $5 = true

-- how many there may be
EXPLAIN (FORMAT JSON) SELECT 1 FROM "project_demo"."city" AS t WHERE true UNION ALL SELECT 1 FROM "project_demo"."land" AS t WHERE true

-- a unit of either kind
SELECT m."version" AS v, u.n, u.tag, CASE WHEN octet_length(u.body) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE u.body END AS body FROM "project_demo"."_model" AS m LEFT JOIN LATERAL (SELECT * FROM (SELECT 0 AS n, (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id" AS "id", 'land'::text AS "kind_id", "t"."id" AS "iso", "t"."title" AS "title", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r)::text AS body FROM "project_demo"."land" AS t WHERE "t"."id" = $1::text UNION ALL SELECT 1 AS n, (extract(epoch FROM t."updated_at" AT TIME ZONE 'UTC') * 1000000)::bigint::text AS tag, (SELECT row_to_json(_r) FROM (SELECT "t"."id"::text AS "id", 'city'::text AS "kind_id", "t"."name" AS "name", "t"."size" AS "size", trim_scale("t"."price")::text AS "price", "t"."founded"::text AS "founded", to_char("t"."opened" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "opened", translate(encode("t"."photo", 'base64'), E'\n', '') AS "photo", "t"."tags" AS "tags", "t"."extra" AS "extra", "t"."land" AS "land", "t"."_xmin" AS "xmin", "t"."metadata" AS "metadata", to_char("t"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("t"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "updated_at") AS _r)::text AS body FROM "project_demo"."city" AS t WHERE "t"."id" = $2::uuid AND "t"."id" = $3::uuid) AS o ORDER BY n LIMIT 1) AS u ON true
-- $1 = "IT"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "0198c0de-0000-7000-8000-000000000001"

-- a link made
WITH _p AS MATERIALIZED (SELECT "t"."id"::text AS id, true AS allowed FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND "t"."id" = $3::uuid FOR KEY SHARE OF t), _c AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."land" AS t WHERE "t"."id" = $4::text AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint FOR KEY SHARE OF t), inserted AS (INSERT INTO "project_demo"."_link" AS l ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at") SELECT 'city', _p.id, 'land', _c.id, $5::text, now() FROM _p, _c WHERE _p.allowed ON CONFLICT DO NOTHING RETURNING l.*) SELECT m."version" AS v, EXISTS (SELECT FROM _p) AS parent, EXISTS (SELECT FROM _p WHERE allowed) AS allowed, EXISTS (SELECT FROM _c) AS child, coalesce((SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM inserted AS l), (SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT id FROM _p) AND l."child_kind" = 'land' AND l."child_id" = (SELECT id FROM _c) AND l."link_id" = $5 AND EXISTS (SELECT FROM _p WHERE allowed))) AS body FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "IT"
-- $5 = "road"

-- a link deleted
WITH _p AS MATERIALIZED (SELECT "t"."id"::text AS id, ("t"."id" = $1::uuid) IS TRUE AS allowed FROM "project_demo"."city" AS t WHERE "t"."id" = $2::uuid AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint AND "t"."id" = $4::uuid), _c AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."land" AS t WHERE "t"."id" = $5::text AND (SELECT "version" FROM "project_demo"."_model") = $3::bigint), deleted AS (DELETE FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT id FROM _p) AND l."child_kind" = 'land' AND l."child_id" = (SELECT id FROM _c) AND l."link_id" = $6 AND EXISTS (SELECT FROM _p WHERE allowed) RETURNING l.*) SELECT m."version" AS v, EXISTS (SELECT FROM _p) AS parent, EXISTS (SELECT FROM _p WHERE allowed) AS allowed, EXISTS (SELECT FROM _c) AS child, (SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM deleted AS l) AS body FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = 7
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = "IT"
-- $6 = "road"

-- which of many links a rule does not allow
WITH _r AS MATERIALIZED (SELECT ("t"."id")::text AS id, ("u"."id" = $1::uuid AND EXISTS (SELECT FROM (SELECT 1) AS "_r_0" WHERE "t"."title" = $2::text)) IS TRUE AS allowed FROM "project_demo"."city" AS u CROSS JOIN "project_demo"."land" AS t WHERE "u"."id" = $3::uuid AND "t"."id" = ANY($4::text[])) SELECT m."version" AS v, (SELECT coalesce(json_agg(r.id) FILTER (WHERE NOT r.allowed), '[]') FROM _r AS r) AS refused FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "Italy"
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = ["IT"]

-- a link made by a rule over both units
WITH _p AS MATERIALIZED (SELECT "t"."id"::text AS id, true AS allowed FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND "t"."id" = $3::uuid FOR SHARE OF t), _c AS MATERIALIZED (SELECT "t"."id" AS id, "t"."title" AS "_c0" FROM "project_demo"."land" AS t WHERE "t"."id" = $4::text AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint FOR SHARE OF t), _a AS MATERIALIZED (SELECT (EXISTS (SELECT FROM (SELECT 1) AS "_r_0" WHERE "_cu"."title" = $5::text)) IS TRUE AS allowed FROM _p, _c, LATERAL (SELECT 1) AS "_pu", LATERAL (SELECT "_c"."_c0" AS "title") AS "_cu"), inserted AS (INSERT INTO "project_demo"."_link" AS l ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at") SELECT 'city', _p.id, 'land', _c.id, $6::text, now() FROM _p, _c WHERE (SELECT allowed FROM _a) ON CONFLICT DO NOTHING RETURNING l.*) SELECT m."version" AS v, EXISTS (SELECT FROM _p) AS parent, (SELECT allowed FROM _a) AS allowed, EXISTS (SELECT FROM _c) AS child, coalesce((SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM inserted AS l), (SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT id FROM _p) AND l."child_kind" = 'land' AND l."child_id" = (SELECT id FROM _c) AND l."link_id" = $6 AND (SELECT allowed FROM _a))) AS body FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "IT"
-- $5 = "Italy"
-- $6 = "road"

-- whether a link is there
WITH _p AS MATERIALIZED (SELECT "t"."id"::text AS id, true AS allowed FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND "t"."id" = $3::uuid), _c AS MATERIALIZED (SELECT "t"."id" AS id FROM "project_demo"."land" AS t WHERE "t"."id" = $4::text AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint) SELECT m."version" AS v, EXISTS (SELECT FROM _p) AS parent, EXISTS (SELECT FROM _p WHERE allowed) AS allowed, EXISTS (SELECT FROM _c) AS child, (SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = (SELECT id FROM _p) AND l."child_kind" = 'land' AND l."child_id" = (SELECT id FROM _c) AND l."link_id" = $5) AS body FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "IT"
-- $5 = "road"

-- many links: the table
LOCK TABLE "project_demo"."_link" IN ROW EXCLUSIVE MODE

-- many links: their unit
WITH _u AS MATERIALIZED (SELECT t.* FROM "project_demo"."city" AS t WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND ("t"."id" = $3::uuid OR (SELECT false)) FOR KEY SHARE OF t) SELECT m."version" AS v, u.id, u.allowed FROM "project_demo"."_model" AS m LEFT JOIN (SELECT ("t"."id"::text)::text AS id, ("t"."id" = $4::uuid) IS TRUE AS allowed FROM _u AS t) AS u ON true
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- many links: their unit, to replace them
WITH _u AS MATERIALIZED (UPDATE "project_demo"."city" AS t SET "inserted_at" = t."inserted_at" WHERE "t"."id" = $1::uuid AND (SELECT "version" FROM "project_demo"."_model") = $2::bigint AND ("t"."id" = $3::uuid OR (SELECT false)) RETURNING t.*) SELECT m."version" AS v, u.id, u.allowed FROM "project_demo"."_model" AS m LEFT JOIN (SELECT ("t"."id"::text)::text AS id, ("t"."id" = $4::uuid) IS TRUE AS allowed FROM _u AS t) AS u ON true
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = 7
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- many links: the other units
WITH "_k0" AS MATERIALIZED (SELECT i.n, 'city'::text AS kind, ("t"."id"::text)::text AS id, true AS allowed FROM unnest($1::uuid[], $2::int[]) AS i("key", n) JOIN "project_demo"."city" AS t ON "t"."id" = i."key" WHERE "t"."id" = $3::uuid ORDER BY "t"."id" FOR KEY SHARE OF t), "_k1" AS MATERIALIZED (SELECT i.n, 'land'::text AS kind, ("t"."id")::text AS id, true AS allowed FROM unnest($4::text[], $5::int[]) AS i("key", n) JOIN "project_demo"."land" AS t ON "t"."id" = i."key" WHERE true ORDER BY "t"."id" FOR KEY SHARE OF t), _o AS MATERIALIZED (SELECT * FROM "_k0" UNION ALL SELECT * FROM "_k1"), _l AS MATERIALIZED (SELECT l."child_kind" AS kind, l."child_id" AS id FROM "project_demo"."_link" AS l WHERE l.ctid = ANY(ARRAY(SELECT e.ctid FROM _o AS o CROSS JOIN LATERAL (SELECT l.ctid FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = $6 AND l."link_id" = $7 AND l."child_kind" = o.kind AND l."child_id" = o.id OFFSET 0) AS e)) ORDER BY 1, 2 FOR KEY SHARE OF l) SELECT m."version" AS v, (SELECT json_agg(json_build_array(o.n, o.id, o.allowed)) FROM _o AS o) AS found, (SELECT json_agg(json_build_array(l.kind, l.id)) FROM _l AS l) AS linked FROM "project_demo"."_model" AS m
-- $1 = ["0198c0de-0000-7000-8000-000000000001"]
-- $2 = [1]
-- $3 = "0198c0de-0000-7000-8000-000000000001"
-- $4 = ["FR","IT"]
-- $5 = [2,0]
-- $6 = "0198c0de-0000-7000-8000-000000000001"
-- $7 = "road"

-- many links: those to delete
WITH _d AS MATERIALIZED (SELECT n.kind, n.id FROM "project_demo"."_link" AS l CROSS JOIN LATERAL (SELECT l."child_kind" AS kind, l."child_id" AS id) AS n WHERE l."parent_kind" = 'city' AND l."parent_id" = $1 AND l."link_id" = $2 AND (l."child_kind", l."child_id") NOT IN (SELECT u.kind, u.id FROM json_to_recordset($3::json) AS u(kind text, id text)) AND CASE WHEN n.kind = 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."id" = $4::uuid) ELSE false END ORDER BY n.kind, n.id LIMIT 101 FOR UPDATE OF l) SELECT m."version" AS v, (SELECT count(*) FROM _d) > 100 AS over, NULL::json AS denied, (SELECT coalesce(json_agg(n), '[]')::text FROM _d AS n) AS units FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "road"
-- $3 = "[]"
-- $4 = "0198c0de-0000-7000-8000-000000000001"

-- many links: parents to unlink
WITH _d AS MATERIALIZED (SELECT n.kind, n.id FROM "project_demo"."_link" AS l CROSS JOIN LATERAL (SELECT l."parent_kind" AS kind, l."parent_id" AS id) AS n WHERE l."child_kind" = 'city' AND l."child_id" = $1 AND l."link_id" = $2 AND (l."parent_kind", l."parent_id") NOT IN (SELECT u.kind, u.id FROM json_to_recordset($3::json) AS u(kind text, id text)) AND CASE WHEN n.kind = 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."id" = $4::uuid) ELSE false END ORDER BY n.kind, n.id LIMIT 101 FOR UPDATE OF l) SELECT m."version" AS v, (SELECT count(*) FROM _d) > 100 AS over, (SELECT json_build_array(n.kind, n.id) FROM _d AS n WHERE (CASE n.kind WHEN 'city' THEN EXISTS (SELECT FROM "project_demo"."city" AS t WHERE "t"."id" = n.id::uuid AND "t"."id" = $5::uuid) END) IS NOT TRUE LIMIT 1) AS denied, (SELECT coalesce(json_agg(n), '[]')::text FROM _d AS n) AS units FROM "project_demo"."_model" AS m
-- $1 = "0198c0de-0000-7000-8000-000000000001"
-- $2 = "road"
-- $3 = "[]"
-- $4 = "0198c0de-0000-7000-8000-000000000001"
-- $5 = "0198c0de-0000-7000-8000-000000000001"

-- many links: written
WITH i AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM json_to_recordset($1::json) AS i("_kind" text, "_id" text, "_new" boolean, "_given" text[], "_differs" boolean)), _i AS (INSERT INTO "project_demo"."_link" AS l ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at") SELECT 'city', $2, i."_kind", i."_id", $3::text, i."_now" FROM i WHERE i."_new" AND (SELECT "version" FROM "project_demo"."_model") = $4::bigint ORDER BY i."_kind", i."_id" ON CONFLICT DO NOTHING RETURNING l.*) SELECT m."version" AS v, a.kind, a.id, CASE WHEN sum(octet_length(a.body)) OVER (ROWS UNBOUNDED PRECEDING) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body, a.differs FROM "project_demo"."_model" AS m LEFT JOIN (SELECT l."child_kind" AS kind, l."child_id" AS id, json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text AS body, false AS differs FROM _i AS l UNION ALL SELECT i."_kind", i."_id", e.body, e.differs FROM i CROSS JOIN LATERAL (SELECT json_build_object('parent_id', l."parent_id", 'child_id', l."child_id", 'type', 'link', 'parent_kind_id', l."parent_kind", 'child_kind_id', l."child_kind", 'link_id', l."link_id", 'inserted_at', to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text AS body, (false OR i."_differs") AS differs FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = $5 AND l."link_id" = $6 AND l."child_kind" = i."_kind" AND l."child_id" = i."_id" OFFSET 0) AS e WHERE NOT i."_new") AS a ON true
-- $1 = "[]"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"
-- $4 = 7
-- $5 = "0198c0de-0000-7000-8000-000000000001"
-- $6 = "road"

-- many links: others deleted
DELETE FROM "project_demo"."_link" AS l WHERE l.ctid = ANY(ARRAY(SELECT e.ctid FROM json_to_recordset($1::json) AS u(kind text, id text) CROSS JOIN LATERAL (SELECT l.ctid FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = $2 AND l."link_id" = $3 AND l."child_kind" = u.kind AND l."child_id" = u.id OFFSET 0) AS e)) AND (SELECT "version" FROM "project_demo"."_model") = $4::bigint
-- $1 = "[]"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"
-- $4 = 7

-- many links: values changed
UPDATE "project_demo"."_link" AS l SET "inserted_at" = CASE WHEN 'inserted_at' = ANY(i."_given") THEN "i"."inserted_at" ELSE "l"."inserted_at" END FROM (SELECT i.*, e.ctid AS "_at" FROM json_to_recordset($1::json) AS i("_kind" text, "_id" text, "_new" boolean, "_given" text[], "_differs" boolean, "inserted_at" timestamptz) CROSS JOIN LATERAL (SELECT l.ctid FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = $2 AND l."link_id" = $3 AND l."child_kind" = i."_kind" AND l."child_id" = i."_id" OFFSET 0) AS e WHERE NOT i."_new") AS i WHERE l.ctid = i."_at" AND (SELECT "version" FROM "project_demo"."_model") = $4::bigint AND (('inserted_at' = ANY(i."_given") AND "l"."inserted_at" IS DISTINCT FROM "i"."inserted_at") OR i."_differs")
-- $1 = "[]"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"
-- $4 = 7

-- many links: new ones made
WITH i AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM json_to_recordset($1::json) AS i("_kind" text, "_id" text, "_new" boolean, "_given" text[], "_differs" boolean, "inserted_at" timestamptz)), _i AS (INSERT INTO "project_demo"."_link" AS l ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at") SELECT 'city', $2, i."_kind", i."_id", $3::text, i."_now" FROM i WHERE i."_new" AND (SELECT "version" FROM "project_demo"."_model") = $4::bigint ORDER BY i."_kind", i."_id" ON CONFLICT DO NOTHING RETURNING l.*) SELECT m."version" AS v, a.kind, a.id, CASE WHEN sum(octet_length(a.body)) OVER (ROWS UNBOUNDED PRECEDING) > 33554432 THEN repeat('-', (SELECT 1073741824)) ELSE a.body END AS body, a.differs FROM "project_demo"."_model" AS m LEFT JOIN (SELECT l."child_kind" AS kind, l."child_id" AS id, (SELECT row_to_json(_r) FROM (SELECT l."parent_id", l."child_id", 'link' AS "type", l."parent_kind" AS "parent_kind_id", l."child_kind" AS "child_kind_id", l."link_id", to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("l"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at") AS _r)::text AS body, false AS differs FROM _i AS l UNION ALL SELECT i."_kind", i."_id", e.body, e.differs FROM i CROSS JOIN LATERAL (SELECT (SELECT row_to_json(_r) FROM (SELECT l."parent_id", l."child_id", 'link' AS "type", l."parent_kind" AS "parent_kind_id", l."child_kind" AS "child_kind_id", l."link_id", to_char(l."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at", to_char("l"."inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "inserted_at") AS _r)::text AS body, false AS differs FROM "project_demo"."_link" AS l WHERE l."parent_kind" = 'city' AND l."parent_id" = $5 AND l."link_id" = $6 AND l."child_kind" = i."_kind" AND l."child_id" = i."_id" OFFSET 0) AS e WHERE NOT i."_new") AS a ON true
-- $1 = "[]"
-- $2 = "0198c0de-0000-7000-8000-000000000001"
-- $3 = "road"
-- $4 = 7
-- $5 = "0198c0de-0000-7000-8000-000000000001"
-- $6 = "road"

-- links of units that are gone
WITH children AS (DELETE FROM "project_demo"."_link" AS l WHERE "parent_kind" = 'city' AND "parent_id" IN (SELECT "t"."id"::text FROM unnest($1::uuid[]) AS t("id"))) DELETE FROM "project_demo"."_link" AS l WHERE "child_kind" = 'city' AND "child_id" IN (SELECT "t"."id"::text FROM unnest($1::uuid[]) AS t("id"))
-- $1 = ["0198c0de-0000-7000-8000-000000000001"]

-- links of units that are gone, after the commit
WITH children AS (DELETE FROM "project_demo"."_link" AS l WHERE "parent_kind" = 'land' AND "parent_id" IN (SELECT "t"."id" FROM unnest($1::text[]) AS t("id") WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS u WHERE "u"."id" = t."id"))) DELETE FROM "project_demo"."_link" AS l WHERE "child_kind" = 'land' AND "child_id" IN (SELECT "t"."id" FROM unnest($1::text[]) AS t("id") WHERE NOT EXISTS (SELECT FROM "project_demo"."land" AS u WHERE "u"."id" = t."id"))
-- $1 = ["IT"]

-- links of a kind that is gone
WITH children AS (DELETE FROM "project_demo"."_link" AS l WHERE "parent_kind" = 'city' ) DELETE FROM "project_demo"."_link" AS l WHERE "child_kind" = 'city' 

-- links that nobody may make for a while
LOCK TABLE "project_demo"."_link" IN SHARE ROW EXCLUSIVE MODE

-- links of a type counted
SELECT count(*)::int AS count FROM "project_demo"."_link" WHERE "link_id" = $1
-- $1 = "road"

-- links of a type deleted
DELETE FROM "project_demo"."_link" WHERE "link_id" = $1
-- $1 = "road"

-- guards
SELECT at, count::int AS count FROM (SELECT 0 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE true) AS count UNION ALL SELECT 1 AS at, (SELECT CASE WHEN count(*) > 1 THEN count(*) ELSE 0 END FROM "project_demo"."city") AS count UNION ALL SELECT 2 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."name" IS NOT NULL) AS count UNION ALL SELECT 3 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."_xmin" IS NULL) AS count UNION ALL SELECT 4 AS at, (SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM "project_demo"."city" WHERE "name" IS NOT NULL AND "size" IS NOT NULL GROUP BY "name", "size" HAVING count(*) > 1) AS d) AS count UNION ALL SELECT 5 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE cardinality("t"."tags") > (SELECT count(DISTINCT e) FROM unnest("t"."tags") AS e)) AS count UNION ALL SELECT 6 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE char_length("t"."name") > 5) AS count UNION ALL SELECT 7 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE EXISTS (SELECT FROM unnest("t"."tags") AS e WHERE to_jsonb("e") <> ALL(ARRAY(SELECT jsonb_array_elements($1::jsonb))))) AS count UNION ALL SELECT 8 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE "t"."price" < $2) AS count UNION ALL SELECT 9 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE min_scale("t"."price") > 2) AS count UNION ALL SELECT 10 AS at, (SELECT count(*) FROM "project_demo"."city" AS t WHERE octet_length("t"."photo") > 3) AS count) AS guards ORDER BY at
-- $1 = "[\"a'b\"]"
-- $2 = "1.5"

-- values for a pattern
SELECT s."id"::text AS id, "s"."value" AS values FROM (SELECT "t"."id" AS id, "t"."tags" AS value, sum((SELECT sum(octet_length(e) + 100) FROM unnest("t"."tags") AS e)) OVER (ORDER BY "t"."id" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM "project_demo"."city" AS t WHERE "t"."tags" IS NOT NULL AND "t"."id" > $1 ORDER BY "t"."id" LIMIT 10000) AS s WHERE coalesce(s.before, 0) < 8388608 ORDER BY s."id"
-- $1 = "0198c0de-0000-7000-8000-000000000001"

-- locks
LOCK TABLE "project_demo"."city", "project_demo"."land" IN SHARE ROW EXCLUSIVE MODE

-- defaults that are dropped
ALTER TABLE "project_demo"."city" ALTER COLUMN "name" DROP DEFAULT, ALTER COLUMN "_xmin" DROP DEFAULT
