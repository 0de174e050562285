#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Texts of reports, names of files and arguments are never commands of gnuplot or of a shell, nor markup of XML.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"

# A command that runs leaves a file "ran.*" in the working folder.
texts='`touch ran.backquote`
$(touch ran.dollar)
"; system("touch ran.quote"); "
'\''; system("touch ran.apostrophe"); '\''
@m {/Bold=40 big}^2_1 &{over} ~a{b}
\\" \134" \042; system("touch ran.escape")
%s%n%d %c %h
END
| touch ran.pipe
< touch ran.input
"<touch ran.command"
]]>&lt;script>alert(1)&lt;/script>
!touch ran.shell
#1
"7"
!0
$x $texts[1]
\n
END_OF_TEXTS
 END_OF_TEXTS
\\
#'
escape() { printf '%s' "$1" | sed 's/&lt;/</g; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
# plant FILE TEXT: a report with the text wherever a report has one
plant() {
	xml=$(escape "$2" | sed 's/[&\\|]/\\&/g')
	sed "s|<modelname>[^<]*|<modelname>$xml|; s|<release>[^<]*|<release>$xml|; s|<hostname>[^<]*|<hostname>$xml|
		s|<option name=\"mapsize\">[^<]*|<option name=\"pattern\">$xml|; s|\(<label name=\"[^\"]*\">\)[^<]*|\1$xml|
		s|<reason code=\"[^\"]*\"|<reason code=\"$(printf '%s' "$xml" | sed 's/"/\\\&quot;/g')\"|
		s|<pattern>[^<]*|<pattern>$xml|; s|\(<phase index=\"[^\"]*\">\)|\1|" "$small" >"$1"
}
innocent() { is "plot runs no command from $1" "$(echo ran.*)" 'ran.*'; }

number=0
printf '%s\n' "$texts" >texts
while IFS= read -r text; do
	number=$((number + 1))
	plant h.xml "$text"
	check_exit 0 "memstor plot histogram draws a report with hostile text $number" \
		memstor plot histogram h.xml "$small" -o h.svg --keep-script
	check "memstor plot histogram of a report with hostile text $number is an SVG" is_svg h.svg
	innocent "hostile text $number in a report"
	# All kinds write texts by the same function: each kind has a third of them.
	case $((number % 3)) in
	0) kind=series ;;
	1) kind=heatmap ;;
	*) kind=bars ;;
	esac
	check_exit 0 "memstor plot $kind draws a report with hostile text $number" memstor plot $kind h.xml -o h.svg
	check "memstor plot $kind of a report with hostile text $number is an SVG" is_svg h.svg
	check_exit 0 "memstor plot accepts hostile text $number as title and threshold" \
		memstor plot series h.xml -o h.svg --title "$text" \
		--threshold "100ns:$text"
	check "memstor plot with hostile text $number as title and threshold is an SVG" is_svg h.svg
	if [ $((number % 3)) = 0 ]; then
		check_exit 0 "memstor plot bars groups reports by hostile text $number" \
			memstor plot bars h.xml "$small" --group-by pattern -o h.pdf
	fi
	innocent "hostile text $number"
	LC_ALL=C.UTF-8 gnuplot -d h.gp >/dev/null 2>err
	is "gnuplot prints nothing about the script with hostile text $number" "$(cat err)" ''
	innocent "hostile text $number in the script"
done <texts

# Names of files, of reports and of pictures.
newline='
'
for name in '`touch ran.file`.xml' '";system("touch ran.file")#.xml' "'.xml" "a${newline}b.xml" '| touch ran.file' '< x' \
	'%s%n.xml' '-x.xml' "$(printf '\377\001.xml')"; do
	cp "$small" "./$name"
	check_exit 0 "plot bars draws a report with the name $(printf %s "$name" | tr -c '[:print:]' '?')" memstor plot bars "./$name" "$original" -o f.svg
	check "memstor plot bars of a report with a hostile name is an SVG" is_svg f.svg
	check_exit 0 "memstor plot cdf writes a picture with a hostile name" \
		memstor plot cdf "$small" -o "./$name.svg" --keep-script
	check "a picture with a hostile name is an SVG" is_svg "./$name.svg"
	innocent "a hostile file name"
	rm -f "./$name"
done

# Markup is drawn as text.
memstor plot cdf "$small" -o m.svg --title '{/Bold=40 big}^2_1 &{over} ~a{b} @x'
check "memstor plot draws markup in a title as text" grep -qF '<text>{/Bold=40 big}^2_1 &amp;{over} ~a{b} @x</text>' m.svg
plant h.xml '100 %s %d'
for i in 1 2 3 4 5 6 7 8 9; do sed "s/<uuid>./<uuid>$i/; s|%d|%d$i|g" h.xml >"h$i.xml"; done
memstor plot bars h[1-9].xml --metric p50 --group-by pattern -o m.svg
check "memstor plot draws a format in a tic's label as text" grep -qF '<text>100 %s %d3</text>' m.svg

# Files that gnuplot would read by itself.
mkdir home
echo 'system("touch ran.home")' >home/.gnuplot
cp home/.gnuplot .gnuplot
check_exit 0 "memstor plot draws beside gnuplot settings of the user" \
	env HOME="$tmp/home" GNUPLOT_LIB="$tmp/home" GNUTERM=dumb memstor plot cdf "$small" -o g.svg
check "memstor plot beside gnuplot settings of the user writes an SVG" is_svg g.svg
innocent "gnuplot settings of the user"

# Texts with a meaning for gnuplot are drawn as they are.
for i in 1 2 3 4 5 6 7 8 9; do sed "s/<uuid>./<uuid>$i/" "$small" >"l$i.xml"; done
for text in '#1' '"7"' '!0' '$x' '`touch ran.x`' '@x' 'a\nb' '\043' '100 %s %%' "'1" '{/Bold a}_1^2' END_OF_TEXTS; do
	wanted="<text>$(escape "$text")</text>"
	memstor plot series "$small" -o d.svg --title "$text" --threshold "100ns:$text"
	check "memstor plot with the title '$text' is a well-formed SVG" is_svg d.svg
	is "memstor plot draws a title and a threshold's label '$text' as they are" "$(grep -cF "$wanted" d.svg)" 2
	safe=$(escape "$text" | sed 's/[&\|]/\\&/g')
	for i in 1 2 3 4 5 6 7 8 9; do
		sed "s|\(<label name=\"[^\"]*\">\)[^<]*|\1$safe$i|" "l$i.xml" >"m$i.xml"
	done
	memstor plot bars m[1-9].xml --metric p50 --group-by kind -o d.svg
	check "memstor plot with the group '$text' is a well-formed SVG" is_svg d.svg
	check "memstor plot draws a group '$text' as it is" grep -qF "$(escape "kind ${text}3")</text>" d.svg
	memstor plot bars m1.xml m2.xml --metric p50 --group-by kind -o d.svg
	check "memstor plot draws a legend '$text' as it is" grep -qF "<text>$(escape "kind ${text}2")</text>" d.svg
done
innocent "titles, groups and legends"

# Before the template a script has texts only in blocks, each line of which begins with a blank.
memstor plot histogram h.xml -o h.svg --keep-script --title '"`$(x)`@"'
check "the script of plot has texts only in blocks" sh -c 'sed "/^# SPDX/,\$d; 1d" h.gp | { ! grep -q "^[^ ].*[\`@]"; }'
tap_done
