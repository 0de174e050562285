#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-style.sh ROOT FILE...     files relative to ROOT
# The rules of form that a machine checks (HACKING.md); one line a finding,
# "FILE:LINE: text", exit 1 when there is any. A line that says "(warning)" does not count.
set -eu
hot_files=$(grep -v '^#' "$(dirname "$0")/hot-files" | tr '\n' ' ')
cd "$1"
shift
[ $# -gt 0 ] || exit 0
exec awk -v hot_files=" $hot_files" -v max_columns=132 -v max_function=150 -v max_file=700 '
BEGIN {
	forbidden = "atoi|atol|atoll|atof|gets|strcpy|strcat|sprintf|vsprintf|strtok|tmpnam|mktemp|alloca|" \
		"rand|srand|gmtime|localtime|asctime|ctime"
}
function finding(line, text) { printf "%s:%d: %s\n", FILENAME, line, text; found = 1 }
function close_file() {
	if (file && !has_spdx) {
		printf "%s:1: no SPDX-License-Identifier line\n", file
		found = 1
	}
	if (is_c && lines > max_file)
		printf "%s:%d: file of %d lines, aim at %d (warning)\n", file, lines, lines, max_file
}
# Columns as an editor with tabs of 8 shows them; bytes of a multi-byte character count as one.
function columns(text,   i, n, c) {
	gsub(/[\200-\277]/, "", text)
	if (!index(text, "\t"))
		return length(text)
	n = 0
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		n += c == "\t" ? 8 - n % 8 : 1
	}
	return n
}
# What is left of a C line without its comments and the inside of its strings.
function code(text) {
	gsub(/\\./, "", text)
	gsub(/"[^"]*"/, "\"\"", text)
	if (in_comment) {
		if (!sub(/^.*\*\//, "", text))
			return ""
		in_comment = 0
	}
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
	if (sub(/\/\*.*$/, "", text))
		in_comment = 1
	sub(/\/\/.*$/, "", text)
	return text
}
FNR == 1 {
	close_file()
	file = FILENAME
	has_spdx = in_comment = in_function = 0
	guard = ""
	if (file ~ /\.h$/) {
		guard = toupper(file)
		gsub(/[^A-Z0-9]/, "_", guard)
	}
	is_c = file ~ /\.[ch]$/
	is_make = file ~ /\.(am|mk)$/ || file ~ /(^|\/)Makefile$/
	is_test = file ~ /^tests\//
	is_prose = file ~ /\.(md|xml|xsd|[1-8])$/ || file ~ /(^|\/)NEWS$/
	# Files whose form belongs to somebody else, or that hold data.
	is_data = file ~ /^debian\/(changelog|copyright|source\/format)$/ || file ~ /^(results|tests\/(fixtures|golden|fuzz\/corpus-[^\/]*))\// || file == "COPYING" || file == "memstor/schema.json" ||
		file ~ /^memstor\/viewer\/(viewer\.html|THIRD-PARTY|package-lock\.json)$/
	has_spdx = is_prose || is_data || file ~ /(^|\/)\.[a-z-]+$/
}
{ lines = FNR }
FNR <= 3 && /SPDX-License-Identifier: GPL-3.0-or-later/ { has_spdx = 1 }
is_data { next }
/[ \t]$/ { finding(FNR, "blanks at the end of the line") }
/\r/ { finding(FNR, "carriage return") }
(is_c || is_make) && columns($0) > max_columns { finding(FNR, "line of " columns($0) " columns, allowed are " max_columns) }
(is_c || is_make || file ~ /\.sh$/) && /^ +\t/ { finding(FNR, "blank before a tab") }
is_c && /^        / && !/^ +\\$/ { finding(FNR, "indented with blanks, use tabs") }
guard && /^#(ifndef|define) / {
	if ($2 != guard)
		finding(FNR, "guard " $2 ", its path makes it " guard)
	if ($1 == "#define")
		guard = ""
}
is_c {
	text = code($0)
	if (match(text, "(^|[^A-Za-z0-9_])(" (is_test ? forbidden : forbidden "|system|popen") ") *[(]")) {
		word = substr(text, RSTART, RLENGTH)
		gsub(/[^A-Za-z_0-9]/, "", word)
		finding(FNR, "forbidden word " word " (HACKING.md names what to use)")
	}
	if (text ~ /^typedef +(struct|union|enum)/)
		finding(FNR, "typedef of a struct, union or enum")
	if ($0 ~ /(^|[^A-Z])(TODO|FIXME|XXX)([^A-Z]|$)/)
		finding(FNR, "unfinished: say it in an issue")
	if ($0 ~ /^\{/) {
		in_function = 1
		begin = FNR
	}
	if ($0 ~ /^\}/) {
		if (in_function && FNR - begin - 1 > max_function)
			finding(begin, "function of " FNR - begin - 1 " lines, allowed are " max_function)
		in_function = 0
	}
	# Only the measured path knows an architecture (docs/ARCHITECTURE.md); placing data is the same on all.
	if (file !~ /^common\/hot\// && !index(hot_files, " " file " ") && !is_test && file !~ /^bench\// &&
	    file != "memstor/embedded.c" && text ~ /__x86_64__|__i386__|__aarch64__|__asm__|(^|[^a-z_])asm[ (]|cpuid\.h|x86intrin\.h|immintrin\.h/)
		finding(FNR, "architecture outside common/hot/ and scripts/hot-files")
}
END {
	close_file()
	exit found
}' "$@"
