/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Field lists: each record of a report (an XML element with attributes, elements or both) is declared once, as a macro
 * in schema/. From the list come the struct that a tool fills in, the writer, the XSD, the tables of
 * docs/report*.md, and the facts that memstor needs to read, merge, compare and validate any record without knowing its name.
 *
 *	#define SSD_LOSS(F, R, G, L) \
 *		F(kind,  text,  ATTR, "", SAME, NONE, "what is wrong with the blocks") \
 *		F(count, count, ATTR, "", SUM,  LOWER, "how many there are")
 *	#define SSD_RECORDS(RECORD) \
 *		RECORD(ssd_loss, SSD_LOSS, PLAIN, "", "kind", "blocks that are not as they must be")
 *	FIELD_STRUCTS(SSD_RECORDS)     in the header: struct ssd_loss_values, const struct field_record *ssd_loss_record(void)
 *	FIELD_DEFINE(SSD_RECORDS)      in schema/schema.c
 *
 * Rows of a list, in the order of the document, attributes first:
 *
 *	F(name, type, place, unit, merge, better, meaning)   a value
 *	R(element, record, least, most, meaning)             a record within this one; most MANY = no bound
 *	G(OPTIONAL) ... G(END)                               these are there together or not at all
 *	G(CHOICE) ... G(OR) ... G(END)                       one of two groups of rows
 *	L("a <= b <= c")                                     a law that holds of every record of this kind (see struct field)
 *
 * type: text code uuid moment descriptor CHOICE(a|b) (const char *), count flag percent bits (uint64_t), integer
 * (int64_t), whole (struct field_whole), number amount FIXED(decimals) (double), truth (int, as bool).
 * place: ATTR (an attribute), NEED (an element), BODY (the text of the record's own element), and ATTR_OPT and OPT for
 * those that may be absent. Absent is: NULL, NAN, FIELD_NO_COUNT, FIELD_NO_INTEGER, FIELD_NO_TRUTH. NAN and infinities
 * are left out of every place.
 * merge: how two parts become one: SUM, MAX, MIN, SAME (equal in all; else texts are joined and all other left out),
 * FIRST and LAST (of the first part, of that which ended last), ANY (of those that have it), MEAN(weight) by a sibling,
 * ERROR (the mean without regard of the sign), PER(weight) (a rate per or of that sibling: weights are summed and divided
 * by the sum of weight / rate), RATIO(a, b) of two siblings after they are merged, TIME (of parts side by side the
 * longest, else the sum), RATE (of parts side by side the sum, else the mean by time), NUMBER (what counts records, as an
 * index: those of a part stand behind those of the part before; records with one in their key are not merged, but stand
 * one after another), EACH (the text of a record that is never merged), NONE. What has no value by its rule is left out
 * with the record that needs it, or is the first part's where the record is needed itself.
 * better: LOWER, HIGHER, NONE (no direction).
 */
#ifndef COMMON_REPORT_FIELD_H
#define COMMON_REPORT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/report/report.h"
#include "common/report/report_read.h"

enum field_kind { FIELD_VALUE, FIELD_RECORD, FIELD_GROUP, FIELD_LAW };

enum field_type {
	FIELD_text, FIELD_code, FIELD_uuid, FIELD_moment, FIELD_descriptor, FIELD_choice, /* text */
	FIELD_bits,                                     /* an integer that is no quantity: text in JSON */
	FIELD_count, FIELD_flag, FIELD_percent, FIELD_integer, FIELD_whole,
	FIELD_number, FIELD_amount,                     /* an amount is not below 0 */
	FIELD_truth,
};

enum field_place { FIELD_ATTR, FIELD_NEED, FIELD_BODY };
enum field_group { FIELD_OPTIONAL, FIELD_CHOICE, FIELD_OR, FIELD_END };
enum field_better { FIELD_BETTER_NONE, FIELD_BETTER_LOWER, FIELD_BETTER_HIGHER };
enum field_merge {
	FIELD_MERGE_NONE, FIELD_MERGE_SUM, FIELD_MERGE_MAX, FIELD_MERGE_MIN, FIELD_MERGE_SAME,
	FIELD_MERGE_FIRST, FIELD_MERGE_LAST, FIELD_MERGE_ANY, FIELD_MERGE_NUMBER, FIELD_MERGE_EACH,
	FIELD_MERGE_ERROR,
	FIELD_MERGE_MEAN,  /* weighted by the sibling first */
	FIELD_MERGE_PER,   /* a rate per sibling */
	FIELD_MERGE_RATIO, /* sibling first / sibling second */
	FIELD_MERGE_TIME, FIELD_MERGE_RATE,
};

/* The role of a record for a reader that does not know its name. */
enum field_record_kind {
	FIELD_IS_PLAIN,     /* values of the surrounding subject, or of the run when there is none */
	FIELD_IS_SUBJECT,   /* measured individually: a cell, a scenario, a stream, a thread */
	FIELD_IS_HISTOGRAM, /* type, class, unit, a SUMMARY, BUCKETs */
	FIELD_IS_SUMMARY,   /* count, extremes, mean, percentiles of one latency */
	FIELD_IS_BUCKET,    /* lo, hi, count */
	FIELD_IS_SERIES,    /* a row of a series; its time is time_s, its length (if any) seconds */
	FIELD_IS_COUNTERS,  /* holds COUNTERs */
	FIELD_IS_COUNTER,   /* name, value: the attribute names the value */
	FIELD_IS_PAIR,      /* name and text: an option, a label, a setting, a fact */
	FIELD_IS_FINDING,   /* code and text: a check, a reason */
};

struct field_record;

struct field {
	/* The name of a value or record; "" for a group; the text of a law (memstor/validate.py). */
	const char *name;
	const char *unit, *meaning;
	const struct field_record *(*record)(void); /* of a record */
	const char *choices;                  /* "a|b" of FIELD_choice */
	const char *first, *second;           /* the siblings of merge */
	size_t offset;                        /* in the record's struct */
	enum field_kind kind;
	enum field_type type;
	enum field_place place;
	enum field_group group;
	enum field_merge merge;
	enum field_better better;
	int decimals;                         /* -1: the shortest text that round-trips */
	unsigned least, most;                 /* number of occurrences, most 0: no bound; for a value 0 or 1, and 1 */
};

struct field_record {
	const char *name, *meaning;
	enum field_record_kind kind;
	/* The subject of the record, from its attributes and values, or those of a record around it: "id", "cell_id=mix|stream"
	 * (cell_id unless it is "mix", then stream). "": the surrounding subject. */
	const char *subject;
	const char *key;                      /* the members that distinguish siblings, as "type,class"; "" = none */
	const struct field *fields;           /* ends with a NULL name */
	size_t size;                          /* of its struct */
};

struct field_root {
	const char *element;                  /* "ssdworkloads" */
	const struct field_record *(*record)(void);
	bool is_private;                      /* not a report: not in the XSD */
};

/* The document elements, in schema/schema.c; ends with a NULL element. */
extern const struct field_root field_roots[];

/* --- reading a tree of common/report/report_read.h --- */

/* Returns the record of a document element; NULL = unknown. */
const struct field_record *field_root(const char *element);
/* Returns the value or record of this name; NULL = unknown. */
const struct field *field_find(const struct field_record *record, const char *name);
/* Reads the values of a node into its record's struct, without records within it. Texts belong to the document and are NULL
 * when absent, even if required. Returns 0, or -EINVAL: *wrong is a required number that is absent or no number, or has a type
 * that is not supported yet (truth, integer, whole). FIELD_READ(node, iow_unknown, &values, &wrong) checks the types at compile
 * time. */
int field_read(const struct field_record *record, const struct report_node *node, void *values, const struct field **wrong);
#define FIELD_READ(node, name, values, wrong) \
	field_read(name##_record(), (node), (struct name##_values *){(values)}, (wrong))
bool field_is_text(const struct field *field);    /* no number, no truth */

/* --- writing --- */

#define FIELD_NO_COUNT UINT64_MAX
#define FIELD_NO_INTEGER INT64_MIN
#define FIELD_NO_TRUTH (-1)

struct field_whole {
	uint64_t value;
	bool is_signed;
};

/* The records within a record: a member of its struct. */
struct field_child {
	const void *rows; /* of the record's struct */
	size_t count;
	/* Writes the records with FIELD_ROW, from the object at rows; NULL: writes `count` structs at rows. */
	void (*write)(struct report *report, const struct field *field, const void *from);
};
#define FIELD_ONE(row) ((struct field_child){(row), 1, NULL})
#define FIELD_MANY(rows, count) ((struct field_child){(rows), (count), NULL})
#define FIELD_BY(write, from) ((struct field_child){(from), 0, (write)})
/* One element with a list in it; `write` writes the rows of the list. */
#define FIELD_INSIDE(write, from) ((struct field_child){(from), 1, (write)})
#define FIELD_NONE ((struct field_child){NULL, 0, NULL})
/* Treats an empty text as absent. */
#define FIELD_UNLESS_EMPTY(text) ((text)[0] ? (text) : NULL)

/* Writes one of the records of a child's write; the report gets -EINVAL when field belongs to another record. FIELD_ROW(report,
 * field, ssd_loss, .kind = "torn", .count = 2) takes the members of its struct. */
void field_row(struct report *report, const struct field *field, const struct field_record *record, const void *values);
#define FIELD_ROW(report, field, name, ...) \
	field_row((report), (field), name##_record(), &(const struct name##_values){__VA_ARGS__})

/* Writes <element> with the values of a record's struct. */
void field_write(struct report *report, const char *element, const struct field_record *record, const void *values);
/* Writes the attributes and content alone, for an element that the caller begins and ends. */
void field_write_inside(struct report *report, const struct field_record *record, const void *values);
/* field_write with a type check: FIELD_WRITE(report, "loss", ssd_loss, &loss). */
#define FIELD_WRITE(report, element, name, values) \
	field_write((report), (element), name##_record(), (const struct name##_values *){(values)})

/* --- implementation of FIELD_STRUCTS and FIELD_DEFINE --- */

#define FIELD_C_text const char *
#define FIELD_C_code const char *
#define FIELD_C_uuid const char *
#define FIELD_C_moment const char *
#define FIELD_C_descriptor const char *
#define FIELD_C_CHOICE(choices) const char *
#define FIELD_C_count uint64_t
#define FIELD_C_flag uint64_t
#define FIELD_C_percent uint64_t
#define FIELD_C_bits uint64_t
#define FIELD_C_integer int64_t
#define FIELD_C_whole struct field_whole
#define FIELD_C_number double
#define FIELD_C_amount double
#define FIELD_C_FIXED(decimals) double
#define FIELD_C_truth int

#define FIELD_T(of) .type = FIELD_##of, .decimals = -1
#define FIELD_T_text FIELD_T(text)
#define FIELD_T_code FIELD_T(code)
#define FIELD_T_uuid FIELD_T(uuid)
#define FIELD_T_moment FIELD_T(moment)
#define FIELD_T_descriptor FIELD_T(descriptor)
#define FIELD_T_CHOICE(of) .type = FIELD_choice, .decimals = -1, .choices = #of
#define FIELD_T_count FIELD_T(count)
#define FIELD_T_flag FIELD_T(flag)
#define FIELD_T_percent FIELD_T(percent)
#define FIELD_T_bits FIELD_T(bits)
#define FIELD_T_integer FIELD_T(integer)
#define FIELD_T_whole FIELD_T(whole)
#define FIELD_T_number FIELD_T(number)
#define FIELD_T_amount FIELD_T(amount)
#define FIELD_T_FIXED(of) .type = FIELD_number, .decimals = (of)
#define FIELD_T_truth FIELD_T(truth)

#define FIELD_P_ATTR .place = FIELD_ATTR, .least = 1
#define FIELD_P_ATTR_OPT .place = FIELD_ATTR, .least = 0
#define FIELD_P_NEED .place = FIELD_NEED, .least = 1
#define FIELD_P_OPT .place = FIELD_NEED, .least = 0
#define FIELD_P_BODY .place = FIELD_BODY, .least = 1

#define FIELD_M_NONE .merge = FIELD_MERGE_NONE
#define FIELD_M_SUM .merge = FIELD_MERGE_SUM
#define FIELD_M_MAX .merge = FIELD_MERGE_MAX
#define FIELD_M_MIN .merge = FIELD_MERGE_MIN
#define FIELD_M_SAME .merge = FIELD_MERGE_SAME
#define FIELD_M_TIME .merge = FIELD_MERGE_TIME
#define FIELD_M_RATE .merge = FIELD_MERGE_RATE
#define FIELD_M_FIRST .merge = FIELD_MERGE_FIRST
#define FIELD_M_LAST .merge = FIELD_MERGE_LAST
#define FIELD_M_ANY .merge = FIELD_MERGE_ANY
#define FIELD_M_NUMBER .merge = FIELD_MERGE_NUMBER
#define FIELD_M_EACH .merge = FIELD_MERGE_EACH
#define FIELD_M_ERROR .merge = FIELD_MERGE_ERROR
#define FIELD_M_PER(weight) .merge = FIELD_MERGE_PER, .first = #weight
#define FIELD_M_MEAN(weight) .merge = FIELD_MERGE_MEAN, .first = #weight
#define FIELD_M_RATIO(a, b) .merge = FIELD_MERGE_RATIO, .first = #a, .second = #b

#define FIELD_MOST_MANY 0
#define FIELD_MOST_1 1
#define FIELD_MOST_2 2
#define FIELD_MOST_5 5
#define FIELD_MOST_6 6
#define FIELD_MOST_16 16
#define FIELD_MOST_24 24

#define FIELD_MEMBER_F(name, type, place, unit, merge, better, meaning) FIELD_C_##type name;
#define FIELD_MEMBER_R(name, record, least, most, meaning) struct field_child name;
#define FIELD_MEMBER_G(group)
#define FIELD_MEMBER_L(law)
#define FIELD_STRUCT(name, LIST, kind, subject, key, meaning) \
	struct name##_values { LIST(FIELD_MEMBER_F, FIELD_MEMBER_R, FIELD_MEMBER_G, FIELD_MEMBER_L) }; \
	const struct field_record *name##_record(void);
#define FIELD_STRUCTS(RECORDS) RECORDS(FIELD_STRUCT)

#define FIELD_ROW_F(of_name, of_type, of_place, of_unit, of_merge, of_better, of_meaning) \
	{.kind = FIELD_VALUE, .name = #of_name, .unit = (of_unit), .meaning = (of_meaning), .offset = offsetof(self, of_name), \
		FIELD_T_##of_type, FIELD_P_##of_place, FIELD_M_##of_merge, .better = FIELD_BETTER_##of_better, .most = 1},
#define FIELD_ROW_R(of_name, of_record, of_least, of_most, of_meaning) \
	{.kind = FIELD_RECORD, .name = #of_name, .unit = "", .meaning = (of_meaning), .record = of_record##_record, \
		.offset = offsetof(self, of_name), .place = FIELD_NEED, .least = (of_least), .most = FIELD_MOST_##of_most},
#define FIELD_ROW_G(of_group) {.kind = FIELD_GROUP, .name = "", .group = FIELD_##of_group},
#define FIELD_ROW_L(law) {.kind = FIELD_LAW, .name = (law)},
#define FIELD_DEFINE_ONE(of_name, LIST, of_kind, of_subject, of_key, of_meaning) \
	const struct field_record *of_name##_record(void) \
	{ \
		typedef struct of_name##_values self; \
		static const struct field fields[] = { \
			LIST(FIELD_ROW_F, FIELD_ROW_R, FIELD_ROW_G, FIELD_ROW_L) {.name = NULL}}; \
		static const struct field_record record = {#of_name, of_meaning, FIELD_IS_##of_kind, of_subject, of_key, fields, \
			sizeof(self)}; \
\
		return &record; \
	}
#define FIELD_DEFINE(RECORDS) RECORDS(FIELD_DEFINE_ONE)

#endif
