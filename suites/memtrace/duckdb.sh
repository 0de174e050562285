#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# duckdb.sh FOLDER ENGINE ORDERS MODULES: DuckDB, from the package @duckdb/node-api in MODULES, with the query of Figure 3.
keep=$1 engine=$2 orders=$3
export MODULES="$4"
# shellcheck source=suites/memtrace/lib.sh
. "$(dirname "$0")/lib.sh"

allocs=--allocs=64k
record "$engine" duckdb node "$(dirname "$0")/duckdb.mjs" "$orders" 10 >"$keep/duckdb.txt"
is_named duckdb
holds "the result is sorted" "$(awk -F '[ ,]' '{ print ($4 > 0 && $5 == 0) }' "$keep/duckdb.txt")"
# Its allocator, jemalloc, maps large pieces: tables, and what a query holds.
memory='libduckdb.so:duckdb_je_pages_map*'
# Far steps are from one row group or column to another, and from the end of a pass to the start of the next: how many
# of them fall between two samples depends on how often the program is interrupted. Stores are to what a query holds.
scan=$(forward duckdb scan "$memory" 1 1048576 load)
query=$(forward duckdb query "$memory" 1 1048576 load)
holds "a scan reads the table in order" "$scan >= 85"
holds "a query that sorts and materialises reads less in order" "$query >= 0 && $query <= $scan - 5"
finish
