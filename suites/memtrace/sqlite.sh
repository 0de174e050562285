#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sqlite.sh FOLDER ENGINE ORDERS: SQLite on a table of ORDERS orders, whose file it maps. Phases are marked by the shell of SQLite.
keep=$1 engine=$2 orders=$3
# shellcheck source=suites/memtrace/lib.sh
. "$(dirname "$0")/lib.sh"

rm -f "$keep/orders.db"
sqlite3 "$keep/orders.db" <<END_OF_SQL
CREATE TABLE orders (o_orderkey INTEGER PRIMARY KEY, o_totalprice REAL, o_orderdate TEXT, o_shippriority INTEGER,
	o_orderstatus TEXT);
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $orders)
INSERT INTO orders SELECT i, (i * 7919 % 50000000) / 100.0, date('1992-01-01', (i * 31 % 2405) || ' days'), 0,
	substr('FOP', 1 + i * 13 % 3, 1) FROM n;
-- Half of the lookups are for 5 orders.
CREATE TABLE wanted (o_orderkey INTEGER);
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $orders)
INSERT INTO wanted SELECT CASE i % 2 WHEN 0 THEN $orders / 10 * (1 + i / 2 % 5 * 2) ELSE (i * 48271) % $orders END FROM n;
END_OF_SQL
pages=$(sqlite3 "$keep/orders.db" 'PRAGMA page_count')

cat >"$keep/queries.sql" <<END_OF_SQL
PRAGMA mmap_size = 1073741824;
PRAGMA temp_store = MEMORY;
SELECT count(*) FROM orders;
.output /dev/null
.shell memtrace mark scan
SELECT sum(o_totalprice) FROM orders WHERE o_orderstatus = 'O';
SELECT sum(o_totalprice) FROM orders WHERE o_orderstatus = 'F';
SELECT sum(o_totalprice) FROM orders WHERE o_orderstatus = 'P';
.shell memtrace mark lookup
SELECT sum(o_totalprice) FROM wanted CROSS JOIN orders USING (o_orderkey);
SELECT sum(o_shippriority) FROM wanted CROSS JOIN orders USING (o_orderkey);
.shell memtrace mark sort
SELECT o_totalprice, o_orderdate, o_shippriority FROM orders WHERE o_orderstatus = 'O' ORDER BY o_totalprice;
.shell memtrace mark end
END_OF_SQL
record "$engine" sqlite sqlite3 -batch -init "$keep/queries.sql" "$keep/orders.db" '' </dev/null
is_named sqlite
file='*/orders.db'
echo "        the file has $pages pages"
# Every leaf of the tree is reached from an inner page, which lies anywhere in the file: only steps of at most 100 pages are compared.
holds "a scan reads the mapped file in order" "$(forward sqlite scan "$file" 4096 409600) >= 75"
share=$(forward sqlite lookup "$file" 4096)
holds "lookups read it at random" "$share >= 35 && $share <= 65"
finish
