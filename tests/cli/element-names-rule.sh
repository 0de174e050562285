#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No file of memstor/ has the name of an element or attribute that the records of one tool alone have: it takes them from
# the lists of schema/. Names of one word are too common to be looked for.
. "$top_srcdir/tests/lib/tap.sh"
cd "$top_srcdir" || exit 1

# From the XSD, which is made from the lists: names of types iow_*, ssd_* or pm_* that no other tool and no shared type has.
awk '/<xs:complexType name=/ { match($0, /name="[^"]*"/); type = substr($0, RSTART + 6, RLENGTH - 7)
		tool = type ~ /^(iow|ssd|pm)_/ ? substr(type, 1, 2) : "shared" }
	/<xs:(element|attribute) name=/ { match($0, /name="[^"]*"/); name = substr($0, RSTART + 6, RLENGTH - 7)
		if (!(name in of)) of[name] = tool; else if (of[name] != tool) of[name] = "shared" }
	END { for (name in of) if (of[name] != "shared" && name ~ /_/) print name }' docs/memstor-report.xsd | sort >"$tmp/names"
check 'the schema has more than 100 names of elements of one tool' test "$(wc -l <"$tmp/names")" -gt 100

# Exceptions: what reads signatures (report.py) and reports of the original, the table of its viewer, and the pictures of data
# that one tool alone has.
cat >"$tmp/excepted" <<'END'
memstor/convert.py
memstor/html.py
memstor/merge.py
memstor/original.py
memstor/plot
memstor/report.py
END

# names_in FILE...: FILE: NAME for each of the names within a string, as "NAME" or with / or . around.
names_in() {
	awk 'NR == FNR { names[$1] = 1; next }
		{ line = $0
		sub(/#.*$/, "", line)
		while (match(line, /"[a-z0-9_\/.]+"/)) {
			count = split(substr(line, RSTART + 1, RLENGTH - 2), part, /[\/.]/)
			line = substr(line, RSTART + RLENGTH)
			for (i = 1; i <= count; i++) if (part[i] in names) print FILENAME ": " part[i]
		} }' "$tmp/names" "$@"
}
# shellcheck disable=SC2046 # names of files without blanks
names_in $(find memstor -name '*.py' | sort) | grep -v -F -f "$tmp/excepted" >"$tmp/found"
is 'no file of memstor/ names an element that one tool alone has' "$(cat "$tmp/found")" ''

printf '%s\n' 'x = f(node, "model/within_tenth_percent")' >"$tmp/planted.py"
is 'the rule finds a planted name of an element of one tool' "$(names_in "$tmp/planted.py" | cut -d : -f 2)" ' within_tenth_percent'
while read -r file; do
	check "the exception $file exists" test -e "$file"
done <"$tmp/excepted"
tap_done
