// SPDX-License-Identifier: GPL-3.0-or-later
// The query of the memory-trace paper's Figure 3 in DuckDB, on a table that it generates. argv: orders, repetitions.
// MODULES names the folder with @duckdb/node-api, MEMTRACE_CONTROL the control file of the recording.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { DuckDBInstance } = createRequire(process.env.MODULES + "/")("@duckdb/node-api");
const [orders, repetitions] = process.argv.slice(2).map(Number);
const mark = (phase) => writeFileSync(process.env.MEMTRACE_CONTROL, `mark ${phase}\n`, { flag: "a" });
const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
const db = await instance.connect();

await db.run(`CREATE TABLE orders AS SELECT i AS o_orderkey, (i * 7919 % 50000000) / 100.0::DOUBLE AS o_totalprice,
	DATE '1992-01-01' + (i * 31 % 2405)::INTEGER AS o_orderdate, 0 AS o_shippriority,
	substr('FOP', (1 + i * 13 % 3)::INTEGER, 1) AS o_orderstatus FROM range(${orders}) r (i)`);
for (let i = 0; i < repetitions; i++) {
	mark("scan");
	for (let scan = 0; scan < 20; scan++)
		await db.run("SELECT sum(o_totalprice) FROM orders");
	mark("query");
	await db.run(`CREATE OR REPLACE TEMP TABLE result AS SELECT o_totalprice, o_orderdate, o_shippriority FROM orders
		WHERE o_orderstatus = 'O' ORDER BY o_totalprice`);
}
mark("end");
const wrong = await db.runAndReadAll(`SELECT (SELECT count(*) FROM result), count(*) FROM (SELECT o_totalprice < lag(o_totalprice)
	OVER () AS is_less FROM result) WHERE is_less`);
console.log("rows and unsorted", wrong.getRows().join(" "));
