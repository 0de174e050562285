# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: json-valid.py [--lines] SCHEMA FILE...     each FILE, or with --lines each line of it, against a JSON Schema.
# Stricter than the schema, which leaves room for what later minor versions add: here a member that it does not
# name is an error. Without the module jsonschema: exit 77.
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a member is there twice: %s" % names)
    return dict(pairs)


def refuse_constant(name):
    raise ValueError(name + " is no JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant)


arguments = sys.argv[1:]
by_line = arguments[0] == "--lines"
schema = parse(open(arguments[by_line]).read())
for definition in schema["$defs"].values():
    if definition.get("type") == "object":
        definition["additionalProperties"] = False
validator_class = jsonschema.validators.validator_for(schema)
validator_class.check_schema(schema)
validator = validator_class(schema)
status = 0
for path in arguments[by_line + 1 :]:
    text = open(path).read()
    for part in text.splitlines() if by_line else [text]:
        document = parse(part)
        # Beneath the top level's choice of one report or several errors say little.
        reports = document if isinstance(document, list) else [document]
        for report in reports:
            one = dict(schema, anyOf=[{"$ref": "#/$defs/any-report"}])
            for error in validator_class(one).iter_errors(report):
                for inner in error.context or [error]:
                    print("%s: %s: %s" % (path, list(inner.absolute_path), inner.message[:200]))
                status = 1
        if not validator.is_valid(document):
            print("%s: not valid" % path)
            status = 1
sys.exit(status)
