#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: schema.sh DESCRIBE [FOLDER [JSON]]   DESCRIBE: the program schema/describe of a build; FOLDER: docs
# Makes what FOLDER says of reports from the lists of schema/: the XSD, the tables of the pages; and JSON
# (memstor/schema.json), the lists for the companion.
set -eu
describe=$1
docs=${2:-docs}
json=${3:-memstor/schema.json}

# make FILE COMMAND...: FILE becomes what COMMAND prints, and is left alone when that is the same.
make() {
	file=$1
	shift
	"$@" >"$file.new"
	if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
}
make "$docs/memstor-report.xsd" "$describe" xsd
make "$json" "$describe" json
for page in report report-iowrite report-memtrace report-ssd report-with-pressure; do
	make "$docs/$page.md" "$describe" page "$docs/$page.md" "$docs/report.md" "$docs/report-iowrite.md" \
		"$docs/report-memtrace.md" "$docs/report-ssd.md" "$docs/report-with-pressure.md"
done
