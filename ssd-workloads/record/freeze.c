/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/record/freeze.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"
#include "ssd-workloads/workload/mix.h"

#define TERM_BYTES 64

enum measure { MEASURE_TIME, MEASURE_COUNT, MEASURE_NONE };

enum term_source { SOURCE_ANY, SOURCE_REAL, SOURCE_SIMULATED };

static const struct {
	const char *name;
	enum measure measure;
	enum term_source source;  /* targets that provide the value */
	bool is_of_all;      /* a stream's name is not allowed before it */
} words[] = {
	[FREEZE_LATENCY] = {"latency", MEASURE_TIME, SOURCE_ANY, false},
	[FREEZE_SERVICE] = {"service", MEASURE_TIME, SOURCE_ANY, false},
	[FREEZE_BATCHING] = {"batching", MEASURE_TIME, SOURCE_REAL, false},
	[FREEZE_LATE] = {"late", MEASURE_TIME, SOURCE_ANY, false},
	[FREEZE_OWN] = {"own", MEASURE_COUNT, SOURCE_ANY, false},
	[FREEZE_OTHER] = {"other", MEASURE_COUNT, SOURCE_ANY, false},
	[FREEZE_SEQUENCE] = {"sequence", MEASURE_COUNT, SOURCE_ANY, false},
	[FREEZE_TIME] = {"time", MEASURE_TIME, SOURCE_ANY, true},
	[FREEZE_ERROR] = {"error", MEASURE_NONE, SOURCE_REAL, false},
	[FREEZE_STEP] = {"step", MEASURE_TIME, SOURCE_SIMULATED, false},
	[FREEZE_COPIES] = {"copies", MEASURE_COUNT, SOURCE_SIMULATED, false},
	[FREEZE_BUSY] = {"busy", MEASURE_COUNT, SOURCE_SIMULATED, false},
	[FREEZE_QDEPTH] = {"qdepth", MEASURE_COUNT, SOURCE_SIMULATED, false},
	[FREEZE_CMD] = {"cmd", MEASURE_COUNT, SOURCE_SIMULATED, false},
};
#define WORDS (sizeof(words) / sizeof(words[0]))

static const struct { /* longer operators precede their prefixes */
	const char *text;
	enum freeze_operator operator;
} operators[] = {
	{">=", FREEZE_AT_LEAST},
	{"<=", FREEZE_AT_MOST},
	{"==", FREEZE_EQUAL},
	{">", FREEZE_ABOVE},
	{"<", FREEZE_BELOW},
};
#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

static bool skip(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length) != 0)
		return false;
	*at += length;
	return true;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

static void read_stream(const char **at, struct freeze_term *term)
{
	term->stream = -1;
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "%s.", mix_stream_name((enum mix_stream)stream));
		if (skip(at, prefix)) {
			term->stream = (int8_t)stream;
			return;
		}
	}
}

static int read_word(const char **at, struct freeze_term *term, const char **why)
{
	size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyz");

	for (size_t word = 0; word < WORDS; word++) {
		if (strlen(words[word].name) != length || strncmp(*at, words[word].name, length) != 0)
			continue;
		if (words[word].is_of_all && term->stream >= 0) {
			*why = "time is that of the run: it takes no stream's name";
			return -EINVAL;
		}
		term->field = (uint8_t)word;
		*at += length;
		return 0;
	}
	*why = "a term begins with latency, service, batching, late, own, other, sequence, time, error, or of a simulated device "
	       "step(A,B), copies, busy, qdepth or cmd, all but time also as log.latency or checkpoint.latency";
	return -EINVAL;
}

/* Parses "(A,B)" after step. */
static int read_stations(const char **at, struct freeze_term *term, const char **why)
{
	unsigned long stations[2];
	const char *next = *at;

	*why = "step names two stations from 1 to 11, the earlier one first, as step(6,7)>1ms";
	for (int i = 0; i < 2; i++) {
		char number[4];
		uint64_t station;
		size_t length;

		skip_blanks(&next);
		if (*next++ != "(,"[i])
			return -EINVAL;
		skip_blanks(&next);
		length = strspn(next, "0123456789");
		if (!length || length >= sizeof(number))
			return -EINVAL;
		snprintf(number, sizeof(number), "%.*s", (int)length, next);
		if (units_parse_u64(number, 1, FREEZE_STATIONS - 1, &station))
			return -EINVAL;
		stations[i] = station;
		next += length;
	}
	skip_blanks(&next);
	if (*next++ != ')' || stations[0] >= stations[1])
		return -EINVAL;
	term->from = (uint8_t)stations[0];
	term->to = (uint8_t)stations[1];
	*at = next;
	return 0;
}

static int read_value(const char *at, struct freeze_term *term, const char **why)
{
	int rc;

	skip_blanks(&at);
	for (size_t i = 0; i < OPERATORS; i++) {
		if (!skip(&at, operators[i].text))
			continue;
		skip_blanks(&at);
		term->operator = (uint8_t)operators[i].operator;
		if (words[term->field].measure == MEASURE_TIME) {
			rc = units_parse_duration(at, &term->value);
			*why = "latency, service, batching, late, time and step are compared with a time, as latency>5ms";
		} else {
			rc = units_parse_u64(at, 0, UINT64_MAX, &term->value);
			*why = "own, other, sequence, copies, busy, qdepth and cmd are compared with a number, as other>=8";
		}
		return rc ? -EINVAL : 0;
	}
	*why = "a field needs >, >=, <, <= or == and a value, as latency>5ms";
	return -EINVAL;
}

static int read_term(const char *at, struct freeze_term *term, const char **why)
{
	read_stream(&at, term);
	if (read_word(&at, term, why) || (term->field == FREEZE_STEP && read_stations(&at, term, why)))
		return -EINVAL;
	if (words[term->field].measure != MEASURE_NONE)
		return read_value(at, term, why);
	if (!*at) {
		term->operator = FREEZE_AT_LEAST;
		term->value = 1;
		return 0;
	}
	*why = "error takes no value: it means that a write failed or was short";
	return -EINVAL;
}

/* Rejects terms that no write can meet together. */
static int check_streams(const struct freeze *freeze, const char **why)
{
	int stream = -1;

	for (unsigned i = 0; i < freeze->count; i++) {
		if (freeze->terms[i].stream < 0)
			continue;
		if (stream >= 0 && freeze->terms[i].stream != stream) {
			*why = "all terms refer to one write, which is of the log or of the checkpoint, not of both";
			return -EINVAL;
		}
		stream = freeze->terms[i].stream == MIX_LOG ? MIX_LOG : MIX_CHECKPOINT;
	}
	return 0;
}

int freeze_parse(const char *text, struct freeze *freeze, const char **why)
{
	struct freeze parsed = {0};

	if (strlen(text) >= sizeof(parsed.text)) {
		*why = "a condition has up to 255 letters";
		return -EINVAL;
	}
	for (const char *next = text; next;) {
		const char *end = strstr(next, "&&");
		size_t length;
		char term[TERM_BYTES];

		skip_blanks(&next);
		length = end ? (size_t)(end - next) : strlen(next);
		while (length && (next[length - 1] == ' ' || next[length - 1] == '\t'))
			length--;
		if (!length || length >= sizeof(term)) {
			*why = length ? "a term has up to 63 letters" : "a term is missing: it is TERM or TERM&&TERM, as "
									"log.latency>5ms&&other>=8";
			return -EINVAL;
		}
		if (parsed.count == FREEZE_TERMS) {
			*why = "up to 8 terms are joined by &&";
			return -EINVAL;
		}
		snprintf(term, sizeof(term), "%.*s", (int)length, next);
		if (read_term(term, &parsed.terms[parsed.count], why))
			return -EINVAL;
		parsed.count++;
		next = end ? end + 2 : NULL;
	}
	if (check_streams(&parsed, why))
		return -EINVAL;
	snprintf(parsed.text, sizeof(parsed.text), "%s", text);
	*freeze = parsed;
	return 0;
}

int freeze_check(const struct freeze *freeze, bool is_simulated, char *why, size_t length)
{
	for (unsigned i = 0; i < freeze->count; i++) {
		enum term_source source = words[freeze->terms[i].field].source;

		if (source == SOURCE_ANY || (source == SOURCE_SIMULATED) == is_simulated)
			continue;
		snprintf(why, length, is_simulated ? "a simulated device has no %s; omit this term"
						   : "%s is available for a simulated device only (--target sim:PRESET)",
			words[freeze->terms[i].field].name);
		return -EINVAL;
	}
	return 0;
}

const char *freeze_host_word(const struct freeze *freeze)
{
	for (unsigned i = 0; i < freeze->count; i++) {
		if (words[freeze->terms[i].field].source != SOURCE_SIMULATED)
			return words[freeze->terms[i].field].name;
	}
	return NULL;
}
