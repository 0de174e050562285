/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a text one JSON value (RFC 8259), and nothing behind it? For tests of what writes JSON by hand. */
#ifndef TESTS_UNIT_JSON_H
#define TESTS_UNIT_JSON_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline const char *json_value(const char *at);

static inline const char *json_blank(const char *at)
{
	return at ? at + strspn(at, " \t\r\n") : NULL;
}

static inline const char *json_string(const char *at)
{
	if (!at || *at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u') {
			for (int i = 0; i < 4; i++) {
				if (!isxdigit((unsigned char)*++at))
					return NULL;
			}
		} else if (!*at || !strchr("\"\\/bfnrt", *at)) {
			return NULL;
		}
	}
	return at + 1;
}

static inline const char *json_number(const char *at)
{
	at += *at == '-';
	if (!isdigit((unsigned char)*at) || (*at == '0' && isdigit((unsigned char)at[1])))
		return NULL;
	at += strspn(at, "0123456789");
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return NULL;
		at += strspn(at, "0123456789");
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
		if (!isdigit((unsigned char)*at))
			return NULL;
		at += strspn(at, "0123456789");
	}
	return at;
}

/* The members of an object, or the values of an array. */
static inline const char *json_list(const char *at, char end, bool has_names)
{
	at = json_blank(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (has_names) {
			at = json_blank(json_string(at));
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_blank(json_value(json_blank(at)));
		if (!at || (*at != ',' && *at != end))
			return NULL;
		if (*at++ == end)
			return at;
		at = json_blank(at);
	}
}

static inline const char *json_value(const char *at)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; at && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	}
	if (!at || !*at)
		return NULL;
	if (*at == '"')
		return json_string(at);
	if (*at == '{' || *at == '[')
		return json_list(at, *at == '{' ? '}' : ']', *at == '{');
	return json_number(at);
}

static inline bool json_is_valid(const char *text)
{
	const char *end = json_blank(json_value(json_blank(text)));

	return end && !*end;
}

#endif
