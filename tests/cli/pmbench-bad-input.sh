#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pmbench refuses what it cannot do in one line that says what, where and how to fix it, with status 2 (usage)
# or 3 (not possible on this host), and writes no files.
. "$top_srcdir/tests/lib/tap.sh"
mkdir "$tmp/cwd"
cd "$tmp/cwd" || exit 1
echo precious >existing
mkdir folder

# refuses STATUS LINE ARGUMENT...: '*' in LINE matches what differs from machine to machine.
refuses() {
	status=0
	wanted=$1
	line=$2
	shift 2
	pmbench "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null || status=$?
	# By the shell itself: there are hundreds of these.
	lines=0 said=
	while IFS= read -r each; do
		lines=$((lines + 1)) said=$said$each
	done <"$tmp/stderr"
	IFS= read -r kept <existing
	# shellcheck disable=SC2254 # the line is a pattern on purpose
	case $said in
	"pmbench: "$line) match=yes ;;
	*) match=no ;;
	esac
	left=
	for each in *; do left="$left $each"; done
	if [ "$match$status$lines" = "yes${wanted}1" ] && [ ! -s "$tmp/stdout" ] && [ "$left $kept" = ' existing folder precious' ]; then
		tap_result ok "pmbench refuses: $*"
	else
		tap_result 'not ok' "pmbench refuses: $*"
		printf '# status %s, wanted %s\n# said:   %s\n# wanted: pmbench: %s\n# files: %s\n' \
			"$status" "$wanted" "$said" "$line" "$left"
	fi
}

# A value as messages show it.
shown() {
	case $1 in
	'' | *' '*) echo "'$1'" ;;
	*) echo "$1" ;;
	esac
}

# syntax of the command line
refuses 2 "--pattern-file existing: line 1: must be 'memstor-pattern 1'" --pattern-file existing 5
refuses 2 '--pattern-file and -p: both set which page is next; keep one' --pattern-file existing -p zipf 5
refuses 2 '--foo: no such option; *' --foo 5
refuses 2 '-r a?b?[31m: must be *' -r "$(printf 'a\nb\033[31m')" 5
refuses 2 '-k: no such option; *' -k 5
refuses 2 '-5: no such option; *' -5
refuses 2 '-m: needs a value' 5 -m
refuses 2 '--cold: takes no value' --cold=1 5
refuses 2 '--se: could be any of *--setsize*' --se 5
refuses 2 '6: one argument too many: DURATION is 5 already' 5 6

# duration
length='must be a time from 1ms to 100000000s'
refuses 2 'no duration: give DURATION in seconds (pmbench ... 300), --accesses N or --phase TIME:PATTERN'
# A recorded pattern that was read is freed once.
refuses 2 'no duration: *' --pattern-file "$top_srcdir/tests/fuzz/corpus-recorded/order"
for bad in 0 0s abc 5x '' ' 5' +5 1e3 5m5 99999999999999999999 100000001 1us nan 0x10; do
	refuses 2 "DURATION $(shown "$bad"): $length" "$bad"
done
refuses 2 "DURATION -5: $length" -- -5
refuses 2 'DURATION 5 s and phases of 3 s in all: drop DURATION, phases set the duration' \
	--phase 1s:uniform --phase 2s:uniform 5

# sizes
size='must be a size above 0 and below 2^64 bytes: MiB, or with a unit, or up to 100%'
for bad in 0 0k 0% 101% -1 abc '' 8q 17592186044416 99999999999999999999 1e3 %; do
	refuses 2 "-m $(shown "$bad"): $size" -m "$bad" 5
	refuses 2 "-s $(shown "$bad"): $size" -s "$bad" 5
done
refuses 2 '-s 512 MiB is more than -m 256 MiB: the set is a part of the map; raise -m or lower -s' -m 256 -s 512 5
refuses 2 '-s * is more than -m *: the set is a part of the map; raise -m or lower -s' -m 50% -s 60% 5
refuses 2 '-m 1000 B: must be a multiple of the page size, * KiB, and not 0' -m 1000B 5
refuses 2 '-s 1000 B: must be a multiple of the page size, * KiB, and not 0' -s 1000B 5
refuses 3 '-m 128 TiB: beyond the address space of a process here, *; lower -m' -m 128T 5
refuses 3 'maps of 64 TiB are beyond the * of memory and * of available swap; lower -m or add --swap zram:SIZE' -m 64T 5
refuses 3 'maps of 64 TiB are beyond the * of memory and * of available swap; lower -m, --processes or add --swap *' \
	-m 32T --processes 2 5
refuses 3 'maps of 64 TiB are beyond the * of memory and 0 B of available swap; lower -m or raise --swap zram:SIZE' \
	-m 64T --swap none 5
refuses 3 'maps of 256 MiB are beyond the 64 MiB of memory (--ram) and 0 B of available swap; *' \
	--ram 64M --swap none -m 256 5
refuses 3 'maps of 70 MiB are beyond the 64 MiB of memory (--ram) and 0 B of available swap; lower -m, --processes *' \
	--ram 64M --swap none --setsize-list 40,20,10 5
eaten='maps of 64 MiB are beyond the 60 MiB of memory (--ram) that eaters leave and 0 B of available swap;'
refuses 3 "$eaten lower -m, --eater or raise --swap zram:SIZE" \
	--ram 80M --swap none -m 64 --eater any=20M@4s-9s --eater any=20M@2s-3s 5
refuses 3 'maps of 64 MiB are beyond the * of memory that eaters leave and 0 B of available swap; *' \
	--swap none -m 64 --eater any=64T@0s-1s 5
list='must be 2 to 64 sizes with commas between, as for -s'
for bad in 1 '' 1,,2 '1,2,' 1,x 0,1; do
	refuses 2 "--setsize-list $(shown "$bad"): $list" --setsize-list "$bad" 5
done
refuses 2 '--setsize-list has 2 sizes for --processes 3: give one size for each process' \
	--setsize-list 1,2 --processes 3 5
refuses 2 '--setsize-list 300 MiB is more than -m 200 MiB: the set is a part of the map; raise -m or lower the set' \
	--setsize-list 100,300 -m 200 5
refuses 2 '-s and --setsize-list: both set the size of a set; keep one' -s 5 --setsize-list 1,2 5

# numbers
numbers() { # OPTION VALUE...
	option=$1
	shift
	for bad; do
		refuses 2 "$option $(shown "$bad"): must be *" "$option" "$bad" 5
	done
}
refuses 2 '-r 101: must be a whole number from 0 to 100' -r 101 5
numbers -r -1 50% '' x 18446744073709551666
numbers -j 0 -1 1025 two 4294967297
numbers -d -1 1000000000001 1ms
numbers -h -1 x 1000000000001
numbers -e -1 nan inf 0x1p3 x '' 1e19
numbers --seed -1 18446744073709551616 x ''
numbers --accesses 0 -1 9223372036854775808
numbers --processes 0 257 x
numbers --media-latency 0 -5 1e7 x
numbers --interval 0 9ms 2h x
numbers --warmup-limit 0 2h never
refuses 2 '-c and --warmup-limit: without a warm-up there is nothing to end; drop --warmup-limit' -c --warmup-limit 1s 5
refuses 2 '--warmup-limit: only ends the warm-up of a pattern; drop it, or use --warmup pattern' --warmup 1s --warmup-limit 1s 5
numbers --warmup 0 2h never
refuses 2 '--ram 2M: must be a size of at least 4M' --ram 2M 5
numbers --ram 64 0 1M x -1
refuses 2 'at most 256 processes and 1024 threads in all; lower --processes, -j or -y' -j 1000 --processes 2 5
word='must be a 4-byte word of the page from 0 (to 1023 in a page of 4 KiB), bytes as 64B, or -1 for random'
for bad in -2 16384 x ''; do
	refuses 2 "-o $(shown "$bad"): $word" -o "$bad" 5
done
refuses 2 "-o 6B: must be a multiple of 4 bytes inside the page (at most 4092B in a page of 4 KiB)" -o 6B 5
refuses 2 '-o 16383: past the page: must be a word from 0 to * of the page of * bytes, or -1 for random' -o 16383 5

# names
refuses 2 "-a tuch: must be histo or touch" -a tuch 5
refuses 2 "-t rdts: must be rdtscp, rdtscp-unfenced, rdtsc, perfc or cntvct" -t rdts 5
case $(uname -m) in
x86_64) other=cntvct ;;
*) other=rdtscp ;;
esac
refuses 3 "-t $other: this processor has no such counter; perfc works everywhere" -t $other 5
refuses 2 "--classify all: must be auto or none" --classify all 5
refuses 2 "--map anonymous: *" --map anonymous 5
refuses 2 "--content noise: *" --content noise 5
refuses 2 "--content ratio:101: *" --content ratio:101 5
label='a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end'
for bad in 'a' '=b' 'a b=c' 'a= b' 'a=b '; do
	refuses 2 "--label $(shown "$bad"): must be NAME=VALUE: $label" --label "$bad" 5
done

refuses 2 "--processes 2 with -y: each -y is a process of its own; give more of them" --processes 2 -y 0 5
refuses 2 '--interval 10 ms: more than 5000 rows in 5 min; give a longer one' --interval 10ms 300
# patterns
refuses 2 "-p gaussian: *" -p gaussian 5
refuses 2 "-p zipf,: *" -p zipf, 5
refuses 2 "--phase uniform: must be TIME:PATTERN as 10s:zipf,1.1" --phase uniform
refuses 2 "--phase 0s:uniform: must be TIME:PATTERN, the time from 1ms to 1562500s" --phase 0s:uniform
refuses 2 "--phase 1s:bell: *" --phase 1s:bell
refuses 2 'pattern linear over a set of 16384 pages: *' -m 64 -p linear -e 16385 5
refuses 2 'pattern normal over a set of 16384 pages: *' -m 64 -p normal -e 1e12 5
refuses 2 'pattern zipf over a set of 16384 pages: *' -m 64 -p zipf -e 0 5
refuses 2 '-e 2 and -p zipf,1.1: the shape is given twice; keep one' -p zipf,1.1 -e 2 5
refuses 2 '-p and --phase: each phase names its pattern; drop -p' -p zipf --phase 1s:uniform
refuses 2 '-e and --phase: give the shape in the phase, as 10s:zipf,1.1; drop -e' -e 2 --phase 1s:zipf

# threads and nodes
refuses 2 '-j and -y: each -y gives its own number of threads as CPUS:THREADS; drop -j' -j 2 -y 0 5
refuses 2 '-y and --cpus: both set where threads run; keep one' -y 0 --cpus 0 5
refuses 2 "-y 0:0: must be a list of CPUs as 0-3 or core:0-3, optionally with :THREADS from 1 to 1024" -y 0:0 5
for bad in x 1- core: core:x ''; do
	refuses 2 "--cpus $(shown "$bad"): must be a list of CPUs as 0-3,8 or core:0-3 or numa:1" --cpus "$bad" 5
	refuses 2 "-y $(shown "$bad"): must be a list of CPUs as *" -y "$bad" 5
done
refuses 3 '-y 1023: *' -y 1023 5
refuses 3 '--cpus core:1023: *' --cpus core:1023 5
refuses 3 '--cpus 1023: *' --cpus 1023 5
refuses 2 "--membind x: must be a list of NUMA nodes as 0,2-3" --membind x 5
refuses 3 '--membind 1023: *' --membind 1023 5
refuses 3 '--interleave 1023: *' --interleave 1023 5
refuses 3 '--preferred 1023: *' --preferred 1023 5
refuses 2 '--membind and --interleave: memory has one policy; keep one' --membind 0 --interleave 0 5
refuses 2 '--balancing: needs --membind NODES' --balancing 5
refuses 2 '--balancing: needs --membind NODES' --balancing --interleave 0 5

# options that exclude each other
refuses 2 '-c and --warmup: both set the warm-up; keep one' -c --warmup 1s 5
refuses 2 '-i and --content: -i is --content random; keep one' -i --content zero 5
refuses 2 '--kernel-split and --classify none: it splits what was classified as a fault; use --classify auto' \
	--classify none --kernel-split 5
refuses 2 '--media-latency and --classify none: the overhead is that of major faults; use --classify auto' \
	--classify none --media-latency 5 5
for untimed in --hdr --store-visible --kernel-split; do
	refuses 2 "$untimed and -a touch: touched accesses are not timed; use -a histo" -a touch $untimed 5
done
refuses 2 '-h and -a touch: touched accesses are not timed; use -a histo' -a touch -h 100 5
refuses 2 '--thp and --map hugetlb: hugetlb pages are huge already; drop --thp' --thp --map hugetlb 5

# files
refuses 3 '-f nowhere/report: cannot be written: No such file or directory' -f nowhere/report 5
refuses 3 '-f folder: cannot be written: Is a directory' -f folder 5
refuses 3 '--json nowhere/report: cannot be written: No such file or directory' --json=nowhere/report 5
refuses 2 "-f '': must not be empty" -f '' 5
refuses 2 "--json '': must not be empty" --json= 5
refuses 2 '-f and --json: both would write a; give them two names' -f a --json=a 5
refuses 2 '-f and --json: both would write a; give them two names' -f a --json=folder/../a 5
refuses 2 '-f and --json: both would write stdout; give them two names' -f - --json 5
refuses 2 '-f and --map file:: both would write a; give them two names' -f a --map file:a 5
written='existing exists and would be written: name a file that does not exist yet, or only read it (-r 100, no content)'
refuses 2 "--map file: $written" --map file:existing 5
refuses 2 "--map file: $written" --map file:existing -r 100 -i 5
refuses 2 '--map file: existing has 9 bytes and the map 268435456: map less, or name a longer file' \
	--map file:existing -r 100 5
refuses 2 '--map file: folder is not a regular file: name a file that does not exist yet' --map file:folder -r 100 5
ln -s nowhere "$tmp/link"
refuses 2 "--map file: $tmp/link is a link to a file that does not exist: name that file, or a name that is free" \
	--map "file:$tmp/link" 5
refuses 3 '--map file: nowhere/a cannot be created in nowhere: No such file or directory' --map file:nowhere/a 5
refuses 3 '--map file: . has * MiB left and the file needs 67108864 MiB: map less, or use another folder' \
	--map file:new -m 64T 5
refuses 2 '--map file:new: 2 processes cannot each make it; use one, or an existing file with -r 100' \
	--map file:new -m 1 --processes 2 5
refuses 3 '--map hugetlb: *' --map hugetlb -m 1T 5
if grep -q Hugepagesize /proc/meminfo; then
	refuses 2 '-m 4 KiB: must be a multiple of the page size, * MiB, and not 0' --map hugetlb -m 4k 5
else
	skip "pmbench refuses a map that is not a multiple of the huge page size" "this kernel has none"
fi

# pressure
refuses 2 "--swap zram: *" --swap zram 5
refuses 2 "--swap zram:0: *" --swap zram:0 5
refuses 2 "--swap dev:loop1: PATH must be the full path of a block device*" --swap dev:loop1 5
refuses 2 "--page-cluster 32: must be keep, or 0 to 31*" --page-cluster 32 5
refuses 2 "--swappiness 201: must be 0 to 200" --swappiness 201 5
refuses 2 "--high 1M: must be a size of at least 4M" --high 1M 5
refuses 2 '--high must be below --ram*' --high 1G --ram 1G 5
refuses 2 '--swappiness with --swap none*' --swappiness 9 --swap none 5
refuses 2 '--destroy-data: needs --swap dev:PATH, the device to overwrite' --destroy-data=/dev/loop1 5
refuses 2 "--recover all: must be given without a value, or as --recover=set-aside" --recover=all
refuses 2 "--eater 1G: *" --eater 1G 5
refuses 2 "--eater any=1G@20s-10s: *" --eater any=1G@20s-10s 5
refuses 2 "--ram 1T%: must be a size of at least 4M" --ram 1T% 5

# replay
refuses 2 '--replay nowhere: No such file or directory' --replay nowhere
refuses 2 '--replay existing:*' --replay existing

tap_done
