# SPDX-License-Identifier: GPL-3.0-or-later
# What holds in each report of pmbench, however it ran: one line for each law that is broken, nothing when all hold.
# Reads our XML as it is written: an element, its text and its end on one line, or only a begin or an end.
function broken(text) {
	print FILENAME ": " text
	is_broken = 1
}
function attribute(name) {
	return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
}
function text() {
	return match($0, />[^<]*</) ? substr($0, RSTART + 1, RLENGTH - 2) : ""
}
function equal(what, a, b) {
	# Exact up to 2^53, where a number of awk is.
	if (a + 0 != b + 0)
		broken(sprintf("%s: %.0f is not %.0f", what, a, b))
}
function rising(what, list, n,    i) {
	for (i = 2; i <= n; i++)
		if (list[i] + 0 < list[i - 1] * (1 - 1e-12))
			broken(what ": " list[i] " after " list[i - 1])
}
{ match($0, /[a-zA-Z_0-9]+/); element = substr($0, RSTART, RLENGTH) }
# A merged report has no series; what its parts were is told after all else.
element == "parts" { is_merged = 1 }
is_merged { next }
/^ *<\// {
	if (element == "histo_bucket" && has_hexes)
		equal("sum of hexes of " original, hexes, bucket)
	if (element == "latency_histogram")
		finish_histogram()
	if (element == "interval") {
		intervals++
		interval_accesses += row
		if (row_buckets != "")
			equal("buckets of an interval", row_buckets, row)
		in_interval = 0
	}
	next
}

# The original's histograms.
element == "histogram" { original = attribute("type"); originals[original] = 0 }
element == "histo_bucket" { has_hexes = hexes = 0 }
element == "hex" { hexes += text(); has_hexes = 1 }
element == "sum_count" { bucket = text(); originals[original] += bucket }

# Ours.
function finish_histogram() {
	if (in_interval) {
		row_buckets = buckets
		return
	}
	equal("count and buckets of " id, count, buckets)
	sums[id] = buckets
	if (count)
		rising("percentiles of " id, percentiles, marks)
	id = ""
}
element == "latency_histogram" {
	type = attribute("type"); class = attribute("class"); layout = attribute("layout")
	id = type " " class " " layout
	buckets = marks = last_hi = 0
	count = 0
	seen[id]++
	if (/\/>$/)
		finish_histogram()
}
element == "count" && id != "" { count = text() }
/<(min|p[0-9]+|max)_ns>/ && id != "" && !in_interval { percentiles[++marks] = text() }
element == "bucket" {
	lo = attribute("lo"); n = attribute("count")
	hi = attribute("hi") == "" ? 2 ^ 63 : attribute("hi") + 0
	if (lo + 0 < last_hi || hi <= lo + 0)
		broken("bucket " lo " of " id " overlaps or is empty")
	last_hi = hi
	buckets += n
	if (!in_interval) {
		cells[type, layout, lo, class] = n
		places[type SUBSEP layout SUBSEP lo] = 1
	}
}

element == "details_samples" { samples += text() }
element == "is_complete" && text() != "true" { lost++ }
/<classified_(minor|major)_faults>/ { is_classified = 1; split(element, part, "_"); classified[part[2]] += text() }
/<extra_(minor|major)_faults>/ { split(element, part, "_"); extra[part[2]] += text() }
/<kernel_(minor|major)_faults>/ { kernel += text() }
element == "inexact_faults" { inexact += text() }
element == "backwards" { backwards += text() }
element == "elsewhere_faults" { elsewhere += text() }

element == "interval" { in_interval = 1; row_buckets = "" }
element == "phase" { in_phase = 1 }
element == "accesses" && in_interval { row = text() }
element == "accesses" && in_phase { phase_accesses += text(); in_phase = 0; next }
element == "accesses" && !in_interval { accesses = text() }
/<(minor|major)_faults>/ && in_interval { series[element] += text() }

END {
	for (original in originals) {
		all += originals[original]
		equal("original's and our " original " histograms", originals[original], sums[original " all log16"])
		if ((original " all hdr") in sums)
			equal("fine and coarse " original " histograms", sums[original " all hdr"], originals[original])
	}
	for (place in places) {
		split(place, at, SUBSEP)
		if (is_classified)
			equal("hit, minor and major at " at[1] " " at[2] " " at[3],
				cells[place, "hit"] + cells[place, "minor"] + cells[place, "major"], cells[place, "all"] + 0)
	}
	for (id in seen)
		if (id !~ /^both /)
			equal("histograms called " id, seen[id], 1)
	equal("threads' accesses and their sum", samples, accesses)
	if (all != "")
		equal("accesses in histograms", all + backwards, accesses)
	if (is_classified) {
		minor = sums["read minor log16"] + sums["write minor log16"]
		major = sums["read major log16"] + sums["write major log16"]
		equal("minor faults in histograms", minor + extra["minor"], classified["minor"] + 0)
		equal("major faults in histograms", major + extra["major"], classified["major"] + 0)
		if (!lost && !inexact)
			equal("the kernel's count", kernel, classified["minor"] + classified["major"] + elsewhere)
		if (!is_merged) {
			equal("minor faults of the series", series["minor_faults"] + 0, minor)
			equal("major faults of the series", series["major_faults"] + 0, major)
		}
	}
	if (!is_merged)
		equal("accesses of the series", interval_accesses + 0, accesses - (all == "" ? 0 : backwards))
	if (!lost)
		equal("accesses of the phases", phase_accesses + 0, accesses)
	exit is_broken
}
