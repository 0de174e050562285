# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Statistics of the bench scripts: files of one number a line.

# median FILE
median()
{
	sort -g "$1" | awk '{ v[NR] = $1 } END { if (NR % 2) print v[(NR + 1) / 2]; else print (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# spread FILE: "min..max"
spread()
{
	sort -g "$1" | awk 'NR == 1 { low = $1 } END { printf "%.4g..%.4g", low, $1 }'
}

# ratios A B: line by line, one a line
ratios()
{
	paste "$1" "$2" | awk '{ print $1 / $2 }'
}

# histogram_median THRESHOLD_NS < text of pmbench or the original: the median in ns of all accesses, reads and writes,
# that took at least the threshold (a multiple of a bucket edge), interpolated in its bucket of 1/16 power of two.
histogram_median()
{
	awk -v threshold="$1" '
	/^2\^\([0-9]+,[0-9]+\) ns:.*\[/ {
		low = 2 ^ substr($0, 4, 2)
		line = $0
		sub(/.*\[/, "", line)
		sub(/\].*/, "", line)
		split(line, part, ", ")
		for (i = 1; i <= 16; i++)
			count[low * (15 + i) / 16] += part[i]
	}
	END {
		for (edge in count)
			if (edge + 0 >= threshold)
				total += count[edge]
		for (power = 8; power < 23; power++)
			for (i = 0; i < 16; i++) {
				edge = 2 ^ power * (16 + i) / 16
				if (edge < threshold)
					continue
				if (seen + count[edge] >= total / 2 && count[edge]) {
					printf "%.0f\n", edge + 2 ^ power / 16 * (total / 2 - seen) / count[edge]
					exit
				}
				seen += count[edge]
			}
	}'
}

# row NAME FILE_A FILE_B: "name | median A (spread) | median B (spread) | median ratio A/B (spread)"
row()
{
	ratios "$2" "$3" > "$2.ratio"
	printf '| %s | %.4g (%s) | %.4g (%s) | %.3f (%s) |\n' "$1" "$(median "$2")" "$(spread "$2")" "$(median "$3")" \
		"$(spread "$3")" "$(median "$2.ratio")" "$(spread "$2.ratio")"
}
