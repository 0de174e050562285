format = "svg"
width = 960
height = 600
scale = 1. * 1
scale_y = ""
share = 0
what = "operation"
# texts
$title << END
 Cost of a write by cell: append, write, warm
END
# texts
$machine << END
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
END
# texts
$notes << END
END
warnings = 0
# row, values of each number
$data << END
1 186289.2308 243712
2 13979.42857 19200
3 15020.30769 19968
4 23148.30769 31872
END
# texts: the cells, as formats
$tics << END
 pwrite direct none 64 KiB
 pwrite buffered none 64 KiB
 pwrite buffered fsync 64 KiB
 fwrite buffered none 64 KiB
END
# texts
$names << END
 write.p50
 write.p99
END
is_by_size = 0
unit = "ns"
value_title = "cost of a write"
x_low = 1. * 65536
x_least = 1. * 65536
x_high = 1. * 65536
x_given = 0
y_low = 1. * 13979.42857
y_least = 1. * 13979.42857
y_high = 1. * 243712
y_given = 0
