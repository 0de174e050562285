# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: awk -f json-schema.awk docs/memstor-report.xsd >docs/memstor-report.schema.json
# The JSON Schema of reports in JSON, by the rules of docs/report.md: names that may repeat anywhere are arrays
# everywhere; the text of an element that has attributes is its member "value". One tag a record; the schema is read
# once and printed at the end. Knows the kinds of tags that our schema uses, and refuses others.
BEGIN { RS = "<" }

function attribute(name,   text) {
	text = tag
	if (!sub(".*[ \t\n]" name "=\"", "", text))
		return ""
	sub(/".*/, "", text)
	gsub(/&lt;/, "<", text)
	gsub(/&gt;/, ">", text)
	gsub(/&quot;/, "\"", text)
	gsub(/&amp;/, "\\&", text)
	return text
}
# By hand: what backslashes mean to gsub depends on the awk.
function quoted(text,   i, c, result) {
	result = "\""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		result = result (c == "\\" || c == "\"" ? "\\" : "") c
	}
	return result "\""
}
function fail(text) {
	print "json-schema: " text >"/dev/stderr"
	failed = 1
	exit 1
}

NR == 1 || /^[?!\/]/ {
	if ($0 ~ /^\/xs:complexType/) type = ""
	if ($0 ~ /^\/xs:simpleType/) type = ""
	if ($0 ~ /^\/xs:(sequence|choice)/) depth--
	next
}
{
	tag = $0
	sub(/>.*/, "", tag)
	kind = tag
	sub(/[ \t\n\/].*/, "", kind)
	is_closed = tag ~ /\/$/
}
kind == "xs:schema" { version = attribute("version"); next }
kind == "xs:simpleType" { type = attribute("name"); simple[type] = 1; order[++types] = type; next }
kind == "xs:complexType" { type = attribute("name"); complex[type] = 1; order[++types] = type; depth = 0; next }
kind == "xs:simpleContent" { next }
kind == "xs:extension" || kind == "xs:restriction" { base[type] = attribute("base"); next }
kind == "xs:pattern" { pattern[type] = attribute("value"); next }
kind == "xs:enumeration" { values[type] = values[type] (values[type] ? ", " : "") quoted(attribute("value")); next }
kind == "xs:minInclusive" { least[type] = attribute("value"); next }
kind == "xs:maxInclusive" { most[type] = attribute("value"); next }
kind == "xs:sequence" || kind == "xs:choice" {
	# What is in an optional group, or is one of several, need not be there.
	depth++
	may_lack[depth] = (depth > 1 && may_lack[depth - 1]) || kind == "xs:choice" || attribute("minOccurs") == "0"
	next
}
kind == "xs:element" && type == "" { root[++roots] = attribute("name"); root_type[roots] = attribute("type"); next }
kind == "xs:element" || kind == "xs:attribute" {
	name = attribute("name")
	n = ++members[type]
	member[type, n] = name
	member_type[type, n] = attribute("type")
	is_attribute[type, n] = kind == "xs:attribute"
	if (kind == "xs:attribute")
		required[type, n] = attribute("use") == "required"
	else
		required[type, n] = !may_lack[depth] && attribute("minOccurs") != "0"
	if (attribute("maxOccurs") != "")
		is_list[name] = 1
	next
}
{ fail("unknown tag <" kind ">") }

# The primitive below a simple type.
function primitive(name) {
	while (name in base)
		name = base[name]
	return name
}
# A facet of a type or of those below it.
function facet(table, name) {
	for (; name != ""; name = (name in base) ? base[name] : "")
		if (name in table)
			return table[name]
	return ""
}
function print_simple(name,   kind, low, high, text) {
	kind = primitive(name)
	if (kind == "xs:string") {
		text = "\"type\": \"string\""
		if (name in values)
			text = text ", \"enum\": [" values[name] "]"
		if (name in pattern)
			text = text ", \"pattern\": " quoted("^(" pattern[name] ")$")
	} else if (kind == "xs:boolean") {
		text = "\"type\": \"boolean\""
	} else {
		if (kind == "xs:double")
			text = "\"type\": \"number\""
		else if (kind == "xs:unsignedLong" || kind == "xs:long" || kind == "xs:integer")
			text = "\"type\": \"integer\""
		else
			fail("unknown type " kind " below " name)
		low = facet(least, name)
		high = facet(most, name)
		if (low == "" && kind == "xs:unsignedLong") low = "0"
		if (high == "" && kind == "xs:unsignedLong") high = "18446744073709551615"
		if (low == "" && kind == "xs:long") low = "-9223372036854775808"
		if (high == "" && kind == "xs:long") high = "9223372036854775807"
		if (low != "") text = text ", \"minimum\": " low
		if (high != "") text = text ", \"maximum\": " high
	}
	printf "    %s: {%s}", quoted(name), text
}
function reference(name) { return "{\"$ref\": \"#/$defs/" name "\"}" }
function print_member(name, text) {
	printf "%s\n        %s: %s", listed++ ? "," : "", quoted(name), text
}
# Attributes come first, then the text, then the elements, as in the reports.
function print_complex(name,   i, pass, needed, text) {
	listed = 0
	needed = ""
	printf "    %s: {\n      \"type\": \"object\",\n      \"properties\": {", quoted(name)
	for (pass = 1; pass >= 0; pass--) {
		for (i = 1; i <= members[name]; i++) {
			if (is_attribute[name, i] != pass)
				continue
			text = reference(member_type[name, i])
			if (!pass && (member[name, i] in is_list))
				text = "{\"type\": \"array\", \"items\": " text (required[name, i] ? ", \"minItems\": 1" : "") "}"
			print_member(member[name, i], text)
			if (required[name, i])
				needed = needed (needed ? ", " : "") quoted(member[name, i])
		}
		if (pass && (name in base)) {
			print_member("value", reference(base[name]))
			needed = needed (needed ? ", " : "") "\"value\""
		}
	}
	printf "%s}", listed ? "\n      " : ""
	if (needed)
		printf ",\n      \"required\": [%s]", needed
	printf "\n    }"
}
END {
	if (failed)
		exit 1
	if (!roots || version == "")
		fail("no schema")
	print "{"
	print "  \"$comment\": \"SPDX-License-Identifier: GPL-3.0-or-later\","
	print "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
	print "  \"$id\": \"urn:memstor:report:" version "\","
	print "  \"title\": \"Reports of memstor in JSON, format " version "\","
	print "  \"description\": \"One report, or an array of them as memstor convert writes of several. docs/report.md" \
		" explains the members. Made from memstor-report.xsd by scripts/json-schema.awk.\","
	print "  \"anyOf\": [{\"$ref\": \"#/$defs/any-report\"}, {\"type\": \"array\", \"items\":" \
		" {\"$ref\": \"#/$defs/any-report\"}}],"
	print "  \"$defs\": {"
	printf "    \"any-report\": {\n      \"type\": \"object\",\n      \"properties\": {"
	listed = 0
	for (i = 1; i <= roots; i++)
		print_member(root[i], reference(root_type[i]))
	printf "\n      },\n      \"minProperties\": 1,\n      \"maxProperties\": 1,\n      \"additionalProperties\": false\n    }"
	for (i = 1; i <= types; i++) {
		printf ",\n"
		if (order[i] in simple)
			print_simple(order[i])
		else
			print_complex(order[i])
	}
	print "\n  }\n}"
}
