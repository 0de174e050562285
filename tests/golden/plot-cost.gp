format = "svg"
width = 960
height = 600
scale = 1. * 1
scale_y = ""
share = 0
what = "operation"
# texts
$title << END
 Cost of a write by size: append, write, warm
END
# texts
$machine << END
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
END
# texts
$notes << END
END
warnings = 0
# size, value
$data << END
4096 170867.4383
65536 190509.325
1048576 614449.2891


4096 2972.936667
65536 14840.18333
1048576 193033.7031


4096 3681.036667
65536 15894.725
1048576 218294.7656


4096 237219.5467
65536 445341.3983
1048576 3159623.047


4096 1520.258333
65536 24139.085
1048576 237871.6875
END
# texts
$names << END
 pwrite direct none, write.mean
 pwrite buffered none, write.mean
 pwrite buffered fsync, write.mean
 pwrite buffered fsync, sync.mean
 fwrite buffered none, write.mean
END
# colour, dash
$styles << END
0 0
1 0
2 0
2 1
3 0
END
is_by_size = 1
unit = "ns"
value_title = "cost of a write"
x_low = 1. * 4096
x_least = 1. * 4096
x_high = 1. * 1048576
x_given = 0
y_low = 1. * 1520.258333
y_least = 1. * 1520.258333
y_high = 1. * 3159623.047
y_given = 0
