#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# postgres.sh FOLDER ENGINE ORDERS BIN: a PostgreSQL server of its own on a table of ORDERS orders, in a temporary folder and as the
# user postgres (without root as the caller). The server is stopped and its folder removed at the end, also when this script is killed.
set -eu

# shellcheck disable=SC3013 # -ef: dash, bash and busybox have it
# stop FOLDER: ends the server that runs in it, and removes it
stop() {
	# Again, as an initdb that lost its script writes on until it misses its files.
	while [ -e "$1" ]; do
		# The first line is the server, or what was one.
		server=$(head -n 1 "$1/db/postmaster.pid" 2>/dev/null) || true
		if [ -n "$server" ] && [ "/proc/$server/cwd" -ef "$1/db" ]; then
			kill -QUIT "$server" || true
			while [ "/proc/$server/cwd" -ef "$1/db" ]; do sleep 0.1; done
		fi
		rm -rf "$1" || sleep 0.1
	done
}

# What this script starts of itself, in another session: it outlives what kills the script.
if [ "$1" = --stop-after ]; then
	while kill -0 "$2" 2>/dev/null && [ -e "$3" ]; do sleep 0.5; done
	stop "$3"
	exit
fi

keep=$1 engine=$2 orders=$3 bin=$4
# shellcheck source=suites/memtrace/lib.sh
. "$(dirname "$0")/lib.sh"
data=$(mktemp -d "${TMPDIR:-/tmp}/memtrace-postgres.XXXXXX")
setsid sh "$0" --stop-after $$ "$data" </dev/null >/dev/null 2>&1 &
trap 'stop "$data"' EXIT
trap 'exit 1' INT TERM HUP
as='' user=$(id -un)
if [ "$(id -u)" = 0 ]; then
	user=postgres
	chown postgres "$data"
	# Becomes the command: a signal reaches the server itself.
	as="setpriv --reuid=postgres --regid=postgres --init-groups --"
fi

$as "$bin/initdb" -D "$data/db" -U "$user" -A trust -N >"$keep/initdb.txt"
record "$engine" postgres $as "$bin/postgres" -D "$data/db" -k "$data" -c listen_addresses= -c shared_buffers=256MB \
	-c fsync=off -c max_parallel_workers_per_gather=0 -c jit=off -c autovacuum=off >"$keep/postgres.txt" 2>&1 &
recorder=$!
export PGHOST="$data" PGUSER="$user" PGDATABASE=postgres MEMTRACE_CONTROL="$keep/postgres.control"
until "$bin/pg_isready" -q; do
	kill -0 $recorder || { cat "$keep/postgres.txt"; exit 1; }
	sleep 0.2
done
psql -qXc "CREATE TABLE orders AS SELECT i AS o_orderkey, (i::bigint * 7919 % 50000000) / 100.0::float8 AS o_totalprice,
	date '1992-01-01' + i * 31 % 2405 AS o_orderdate, 0 AS o_shippriority, substr('FOP', 1 + i * 13 % 3, 1) AS o_orderstatus
	FROM generate_series(0, $orders - 1) i" -c 'CREATE UNIQUE INDEX ON orders (o_orderkey)' -c 'VACUUM ANALYZE orders'
# What is not in the server's buffers is read now.
psql -qXc 'SELECT count(*) FROM orders' >/dev/null
memtrace mark scan
psql -qXc "SELECT sum(o_totalprice) FROM orders WHERE o_orderstatus = 'O'" -c "SELECT sum(o_totalprice) FROM orders WHERE
	o_orderstatus = 'F'" -c "SELECT sum(o_totalprice) FROM orders WHERE o_orderstatus = 'P'" >/dev/null
memtrace mark sort
psql -qXc "SELECT o_totalprice, o_orderdate, o_shippriority FROM orders WHERE o_orderstatus = 'O' ORDER BY o_totalprice" >/dev/null
# Half of the lookups are for 5 orders.
memtrace mark lookup
psql -qXc 'SET enable_hashjoin = off' -c 'SET enable_mergejoin = off' -c "SELECT sum(o_totalprice) FROM generate_series(0, $orders) i
	JOIN orders ON o_orderkey = CASE i % 2 WHEN 0 THEN $orders / 10 * (1 + i / 2 % 5 * 2) ELSE i::bigint * 48271 % $orders END" >/dev/null
memtrace mark end
stop "$data"
wait $recorder || true
is_named postgres
# Shared memory of the server: no file that is there.
buffers='*/dev/zero*'
# Chance gives 50. The buffers' descriptors and locks lie in the same mapping: a scan goes forward in 63 to 75 % of the steps,
# of some thousands, so that chance is within 3 of its mean.
holds "a scan reads the shared buffers page by page in order" "$(forward postgres scan "$buffers" 8192) >= 57"
share=$(forward postgres lookup "$buffers" 8192)
holds "lookups read them at random" "$share >= 35 && $share <= 65"
holds "nothing is left" "$([ -e "$data" ] && echo 0 || echo 1)"
finish
