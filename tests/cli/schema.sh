# SPDX-License-Identifier: GPL-3.0-or-later
# What docs/ says of reports is what the lists of schema/ say.
. "$top_srcdir/tests/lib/tap.sh"
mkdir "$tmp/docs"
for file in memstor-report.xsd memstor-report.schema.json report.md report-iowrite.md report-memtrace.md report-ssd.md; do
	cp "$top_srcdir/docs/$file" "$tmp/docs/$file"
done
chmod -R u+w "$tmp/docs"
check 'the schemas and the tables are made' sh "$top_srcdir/scripts/schema.sh" "$top_builddir/schema/describe" "$tmp/docs"
for file in memstor-report.xsd memstor-report.schema.json report.md report-iowrite.md report-memtrace.md report-ssd.md; do
	check "docs/$file is as the lists have it (scripts/schema.sh build/schema/describe)" \
		cmp "$top_srcdir/docs/$file" "$tmp/docs/$file"
done
tap_done
