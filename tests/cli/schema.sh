# SPDX-License-Identifier: GPL-3.0-or-later
# The schema and tables of docs/ are generated from the lists of schema/.
. "$top_srcdir/tests/lib/tap.sh"
mkdir "$tmp/docs"
for file in memstor-report.xsd report.md report-iowrite.md report-memtrace.md report-ssd.md report-with-pressure.md; do
	cp "$top_srcdir/docs/$file" "$tmp/docs/$file"
done
chmod -R u+w "$tmp/docs"
check 'scripts/schema.sh generates the schema and the tables' \
	sh "$top_srcdir/scripts/schema.sh" "$top_builddir/schema/describe" "$tmp/docs" "$tmp/schema.json"
check 'memstor/schema.json agrees with the lists of schema/ (scripts/schema.sh build/schema/describe)' \
	cmp "$top_srcdir/memstor/schema.json" "$tmp/schema.json"
for file in memstor-report.xsd report.md report-iowrite.md report-memtrace.md report-ssd.md report-with-pressure.md; do
	check "docs/$file agrees with the lists of schema/ (scripts/schema.sh build/schema/describe)" \
		cmp "$top_srcdir/docs/$file" "$tmp/docs/$file"
done
tap_done
