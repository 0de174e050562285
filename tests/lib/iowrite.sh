# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# A calibration written by hand, of round numbers. Needs tap.sh.
write_system() { # FILE DEVICE FILE_SYSTEM BYTES_PER_SECOND: of the device
	parameter() { echo "<parameter name=\"$1\" value=\"$2\" n=\"9\" method=\"by hand\"/>"; }
	curve() { # MODE REGIME SMALL_NS LARGE_NS
		echo "<curve mode=\"$1\" regime=\"$2\"><point size_bytes=\"4096\" value=\"$3\" n=\"9\"/>"
		echo "<point size_bytes=\"1048576\" value=\"$4\" n=\"9\"/>"
		echo '<segment from_bytes="0" fixed_ns="1000" ns_per_byte="0.2"/></curve>'
	}
	{
		echo '<iowritesystem version="1.2"><date>2026-01-01T00:00:00Z</date>'
		echo "<kernel>$(uname -r)</kernel><device>$2</device><file_system>$3</file_system>"
		parameter bw_mem 10000000000
		parameter bw_cache_cold 500000000
		parameter bw_cache_warm 5000000000
		parameter bw_cache_rewrite 7000000000
		parameter coeff_bg 0.9
		parameter bw_dev "$4"
		parameter bw_sync "$4"
		parameter bw_rdev "$4"
		parameter lat_rdev 60000
		parameter sc_w 300
		parameter sc_sk 1000
		parameter lib_metacost 20
		parameter bf 4096
		parameter bs 512
		parameter fs_block 4096
		parameter dirty_expire 30000000000
		parameter dirty_writeback 5000000000
		curve buffered append 3000 200000
		curve direct-sync append 150000 500000
		curve sync append 150000 600000
		curve sync overwrite 100000 500000
		echo '<throttled index="1" size_bytes="8388608" p10="0.5" p50="1" p90="1.5"/></iowritesystem>'
	} >"$1"
}

is_valid() { # WHAT REPORT
	check "$1" xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$2"
}
