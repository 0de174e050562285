# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Invented reports. Variables replace the defaults: pattern step label release boot start status
# reason check version intervals.
compare_count=0

# report FILE THROUGHPUT LATENCY_NS: 1000 reads around that latency, in buckets of 10 ns.
report() {
	compare_count=$((compare_count + 1))
	mkdir -p "$(dirname "$1")"
	awk -v throughput="$2" -v latency="$3" -v uuid="$(printf '00000000-0000-4000-8000-%012d' "$compare_count")" \
		-v pattern="${pattern-uniform}" -v step="${step-}" -v label="${label-}" -v release="${release-6.1.0}" \
		-v boot="${boot-one}" -v start="${start-}" -v status="${status-ok}" -v reason="${reason-}" \
		-v check="${check-}" -v version="${version-0.1.0}" -v intervals="${intervals-0}" \
		-v seed="$compare_count" '
	function lo(i) {
		return 10 * int(latency * (1 + i / 100) / 10)
	}
	BEGIN {
		print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pmbenchmark><report><signature>"
		print "<uuid>" uuid "</uuid><tool>pmbench</tool><tool_version>" version "</tool_version>"
		print "<report_version>1.0</report_version><options><option name=\"mapsize\">4</option>"
		print "<option name=\"pattern\">" pattern "</option><option name=\"seed\">" seed "</option></options>"
		if (start)
			print "<wall_start>" start "</wall_start>"
		print "<host><hostname>h</hostname><boot_id>" boot "</boot_id><os_name>Linux</os_name><release>" release \
			"</release><os_version></os_version><arch>x86_64</arch></host><labels>"
		if (step)
			print "<label name=\"step\">" step "</label>"
		if (label)
			print "<label name=\"kind\">" label "</label>"
		print "</labels></signature><machine_info><modelname>Fake</modelname></machine_info><environment>"
		if (check)
			print "<check code=\"" check "\"><measured></measured><advice></advice></check>"
		print "</environment><result><totals><accesses>1000</accesses><accesses_per_second>" throughput \
			"</accesses_per_second></totals></result><statistics>"
		print "<latency_histogram type=\"read\" class=\"all\" layout=\"hdr\" unit=\"ns\">"
		printf "<summary><count>1000</count><min_ns>%d</min_ns><mean_ns>%s</mean_ns><max_ns>%d</max_ns></summary>\n", \
			lo(-10), latency, lo(9) + 9
		for (i = -10; i < 10; i++)
			printf "<bucket lo=\"%d\" hi=\"%d\" count=\"50\"/>\n", lo(i), lo(i) + 10
		print "</latency_histogram>\n</statistics>"
		if (intervals) {
			print "<series><interval_ns>1000000000</interval_ns>"
			for (i = 0; i < intervals; i++)
				printf "<interval index=\"%d\"><time_s>%d</time_s><seconds>1</seconds><accesses>100</accesses>" \
					"<accesses_per_second>%s</accesses_per_second><mean_ns>%s</mean_ns></interval>\n", i, i + 1, \
					throughput * (1 + (i % 3 - 1) / 100), latency
			print "</series>"
		}
		print "<verdict status=\"" status "\">"
		if (reason)
			print "<reason code=\"" reason "\">so it is</reason>"
		print "</verdict></report></pmbenchmark>"
	}' >"$1"
}

# group FOLDER NAME THROUGHPUT:LATENCY...: NAME-1.xml, NAME-2.xml, ...
group() {
	compare_folder=$1
	compare_name=$2
	shift 2
	compare_run=0
	for compare_pair; do
		compare_run=$((compare_run + 1))
		report "$compare_folder/$compare_name-$compare_run.xml" "${compare_pair%:*}" "${compare_pair#*:}"
	done
}
