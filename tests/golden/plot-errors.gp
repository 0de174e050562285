format = "svg"
width = 960
height = 600
scale = 1. * 1
scale_y = ""
share = 0
what = "operation"
# texts
$title << END
 Errors of the models by scenario
END
# texts
$machine << END
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
END
# texts
$notes << END
 Goals that are missed: buffered-slow per-write 22.5 (20) %.
 Goals that are met: sync per-write 8.2 (15) %.
 Medians of the repetitions; circles: each of them.
END
warnings = 1
# panel, model (0 kernel, 1 cawl, 2 naive), scenario, median of the repetitions in percent
$data << END
1 0 1 12.4716063
1 1 1 48.95252906
1 2 1 639.8923021
2 0 1 3.238053544
2 1 1 80.23953843
2 2 1 106.7669058
1 0 2 65.07884092
1 1 2 28.40889496
1 2 2 1046.914187
2 0 2 13.03521017
2 1 2 38.96334683
2 2 2 583.9271485
1 0 3 8.47092386
1 1 3 14.00607874
1 2 3 149.618959
2 0 3 2.339014486
2 1 3 5.432810563
2 2 3 159.5729324
END
# panel, model, scenario, each repetition
$each << END
1 0 1 12.23226908
1 0 1 12.71094352
1 1 1 48.42478698
1 1 1 49.48027113
1 2 1 620.585466
1 2 1 659.1991382
2 0 1 3.554582166
2 0 1 2.921524921
2 1 1 80.30417904
2 1 1 80.17489782
2 2 1 106.0905279
2 2 1 107.4432838
1 0 2 76.6864235
1 0 2 53.47125833
1 1 2 29.01771036
1 1 2 27.80007955
1 2 2 1047.40129
1 2 2 1046.427085
2 0 2 12.99920125
2 0 2 13.07121909
2 1 2 38.9380738
2 1 2 38.98861986
2 2 2 584.2103375
2 2 2 583.6439594
1 0 3 7.585545755
1 0 3 9.356301966
1 1 3 13.7927167
1 1 3 14.21944077
1 2 3 150.3962269
1 2 3 148.8416912
2 0 3 1.944127129
2 0 3 2.733901843
2 1 3 5.050432817
2 1 3 5.815188309
2 2 3 160.6225027
2 2 3 158.5233621
END
# panel, scenario, floor
$floor << END
1 1 11.2
1 2 11.2
1 3 9.5
END
# of each panel: least above 0, highest
$ranges << END
7.585545755 1047.40129
1.944127129 584.2103375
END
# texts
$panels << END
 error per write
 error of the total
END
# texts: scenarios, as formats
$tics << END
 c2
 c4
 f4b
END
has_repetitions = 1
