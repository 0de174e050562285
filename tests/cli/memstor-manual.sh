#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor.1: sections and options as in --help; its examples and those of each --help run.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
program_manual memstor "$top_builddir/memstor/memstor.1"
cd "$work" || exit 1

# --- the examples, run beside reports of the names that they use
mkdir before after runs results monday tuesday old new
number=0
for report in run.xml a.xml b.xml before/1.xml before/2.xml before/3.xml after/1.xml after/2.xml after/3.xml runs/1.xml runs/2.xml \
	report.xml results/1.xml zram.xml file.xml monday/1.xml tuesday/1.xml old/1.xml old/2.xml new/1.xml new/2.xml; do
	number=$((number + 1))
	# Three runs, and the others by other names.
	if [ $number -le 3 ]; then
		pmbench -q -m 4 -i --accesses 20000 --seed $number --interval 10ms -f real-$number >/dev/null 2>&1 || :
	fi
	sed "s/<uuid>......../<uuid>$(printf %08d $number)/" real-$(((number - 1) % 3 + 1)) >$report
done
rm real-*
check 'pmbench made the reports that the examples name' test -s runs/2.xml
cp "$top_srcdir/tests/fixtures/iowrite/run.xml" writes.xml
cp "$top_srcdir/tests/fixtures/iowrite/evaluate.xml" evaluate.xml
help_examples memstor >>"$tmp/examples"
for command in $(memstor --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	help_examples memstor "$command"
done | sed 's/^sudo //; s|/mnt/disk|.|' >"$tmp/of-help"
check 'the help of memstor and of its commands has at least five examples' test "$(wc -l <"$tmp/of-help")" -ge 5
while read -r example; do
	command=${example#memstor }
	command=${command%% *}
	# A suite takes long, and has tests of its own.
	[ "$command" = run ] && example="$example --dry-run"
	[ "$command" = plot ] && ! command -v gnuplot >/dev/null && { skip "the example runs: $example" \
		'gnuplot is not installed'; continue; }
	# Verdicts on two short runs and on this host vary: each of them is accepted.
	status=0
	sh -c "$example" >"$tmp/out" 2>"$tmp/err" || status=$?
	case $command in
	compare) allowed='0 1 4' ;;
	merge) allowed='0 4' ;;
	doctor) allowed='0 3' ;;
	*) allowed=0 ;;
	esac
	check "the example runs: $example" sh -c 'case " $1 " in *" $2 "*) ;; *) echo "status $2"; cat "$3"; exit 1 ;; esac' sh \
		"$allowed" $status "$tmp/err"
done <<END
$(sort -u "$tmp/examples" "$tmp/of-help")
END

tap_done
