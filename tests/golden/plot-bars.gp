format = "svg"
width = 960
height = 600
scale = 1. * 1
scale_y = ""
share = 0
what = "access"
# texts
$title << END
 pmbench
END
# texts
$machine << END
END
# texts
$notes << END
 pmbench-report.xml is not to be trusted: inexact.
 One run each: nothing is known of what differs from run to run.
END
warnings = 1
# texts: the title of each panel
$panels << END
 throughput (1/s)
 p99
END
# texts
$subtitles << END
 higher is better
 lower is better
END
# panel, group, median, interval from, to, runs, the median is below this (0 = it is known)
$data << END
1 1 5369828.7 5369828.7 5369828.7 1 0
1 2 59391.94526 59391.94526 59391.94526 1 0
2 1 160.9736373 160.9736373 160.9736373 1 0
2 2 530167.219 530167.219 530167.219 1 0
END
# panel, group, value, number in the group from 0 to 1
$runs << END
END
# of each panel: least above 0, highest, 1 = ns
$ranges << END
59391.94526 5369828.7 0
160.9736373 530167.219 1
END
# texts
$names << END
 kind <fake>
 no kind
END
