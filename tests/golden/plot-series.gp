format = "svg"
width = 960
height = 600
scale = 1. * 1
scale_y = ""
share = 0
what = "access"
# texts
$title << END
 pmbench: map of 8 GiB
END
# texts
$machine << END
 Fake CPU (R) <tm> & Co, Linux 6.18.0, 2026-11-20
END
# texts
$notes << END
 pmbench-report.xml is not to be trusted: inexact.
END
warnings = 1
# 0 rate, 1 latency, 2 counter; colour, dash
$lines << END
0 0 0
1 1 0
1 2 0
2 3 1
END
# texts
$names << END
 accesses per second
 p50
 p99
 vmstat.pgmajfault (right)
END
# seconds, value
$data << END
0 3333333334
1.5 3333333334
1.5 0
3 0


0 128
1.5 128
3 NaN


0 253.44
1.5 253.44
3 NaN


0 2
1.5 2
1.5 0
3 0
END
x_low = 1. * 0
x_least = 1. * 1.5
x_high = 1. * 3
x_given = 0
rate_low = 1. * 0
rate_least = 1. * 3333333334
rate_high = 1. * 3333333334
rate_given = 0
latency_low = 1. * 128
latency_least = 1. * 128
latency_high = 1. * 253.44
latency_given = 0
counter_low = 1. * 0
counter_least = 1. * 2
counter_high = 1. * 2
counter_given = 0
has_rate = 1
has_latency = 1
has_counter = 1
# seconds
$marks << END
0
3600
END
# texts
$mark_names << END
 uniform
 zipf
END
# 0 rate, 1 latency, 2 counter; value
$thresholds << END
END
# texts, empty = the value
$threshold_names << END
END
# texts
$rate_title << END
 accesses per second
END
latency_title = "latency of an access"
time_title = "time since the run began (s)"
counter_title = "events per second"
counter_unit = ""
