/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --freeze-if: what it says, each mistake's message, and of which writes it holds. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/workload/mix.h"
#include "ssd-workloads/record/freeze.h"

#define MS 1000000u

static const char begins[] = "a term begins with latency, service, batching, late, own, other, sequence, time, error, or of a "
			     "simulated device step(A,B), copies, busy, qdepth or cmd, all but time also as log.latency or "
			     "checkpoint.latency";
static const char stations[] = "step names two stations from 1 to 11, the earlier one first, as step(6,7)>1ms";
static const char operators[] = "a field needs >, >=, <, <= or == and a value, as latency>5ms";
static const char times[] = "latency, service, batching, late, time and step are compared with a time, as latency>5ms";
static const char numbers[] = "own, other, sequence, copies, busy, qdepth and cmd are compared with a number, as other>=8";
static const char missing[] = "a term is missing: it is TERM or TERM&&TERM, as log.latency>5ms&&other>=8";
static const char both[] = "all terms refer to one write, which is of the log or of the checkpoint, not of both";
static const char of_all[] = "time is that of the run: it takes no stream's name";
static const char alone[] = "error takes no value: it means that a write failed or was short";

TEST("a malformed condition is refused with its reason")
{
	static const struct { const char *text, *why; } cases[] = {
		{"", missing}, {"&&", missing}, {"own>1&&", missing}, {"&&own>1", missing}, {"own>1&&&&own>2", missing},
		{"latence>5ms", begins}, {">5", begins}, {"log.", begins}, {"Latency>5ms", begins}, {"own>1 && ", missing},
		{"wal.latency>5ms", begins}, {"latencys>5ms", begins}, {"log.checkpoint.own>1", begins},
		{"own", operators}, {"own=1", operators}, {"own=>1", operators}, {"own 1", operators}, {"own!=1", operators},
		{"own.1", operators}, {"own||other>1", operators},
		{"late", operators}, {"latency>", times}, {"latency>fast", times}, {"latency>5MB", times}, {"latency>>5ms", times},
		{"latency>5ms other>8", times}, {"latency>-5ms", times}, {"time>=5ms&own>1", times},
		{"own>", numbers}, {"own>5ms", numbers}, {"sequence==-1", numbers}, {"other>=99999999999999999999", numbers},
		{"error>1", alone}, {"error x", alone}, {"log.error==1", alone},
		{"step>1ms", stations}, {"step(6)>1ms", stations}, {"step(6,7>1ms", stations}, {"step(0,7)>1ms", stations},
		{"step(6,12)>1ms", stations}, {"step(6,6)>1ms", stations}, {"step(7,6)>1ms", stations},
		{"step(6,,7)>1ms", stations},
		{"step(0006,7)>1ms", stations}, {"step(6,-7)>1ms", stations}, {"step(6,7)", operators},
		{"step(6,7)>x", times}, {"copies>=8ms", numbers}, {"cmd", operators}, {"busy==x", numbers}, {"qdepth>", numbers},
		{"log.time>5s", of_all}, {"checkpoint.time>5s", of_all},
		{"log.latency>5ms&&checkpoint.own>1", both}, {"checkpoint.error&&own>1&&log.other>1", both},
		{"own>1&&own>1&&own>1&&own>1&&own>1&&own>1&&own>1&&own>1&&own>1", "up to 8 terms are joined by &&"},
		{"sequence==1000000000000000000000000000000000000000000000000000000000000", "a term has up to 63 letters"},
	};
	struct freeze freeze = {.count = 77};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = NULL;

		if (freeze_parse(cases[i].text, &freeze, &why) != -EINVAL)
			fail_msg("%s was taken", cases[i].text);
		if (!why || strcmp(why, cases[i].why) != 0)
			fail_msg("%s: %s", cases[i].text, why ? why : "no reason");
		assert_int_equal(freeze.count, 77);
	}
}

TEST("a term is parsed into field, operator, stream and value")
{
	static const struct {
		const char *text;
		struct { uint8_t field, operator; int8_t stream; uint64_t value; } term;
	} cases[] = {
		{"latency>5ms", {FREEZE_LATENCY, FREEZE_ABOVE, -1, 5 * MS}},
		{"log.latency>=1.5ms", {FREEZE_LATENCY, FREEZE_AT_LEAST, MIX_LOG, 1500000}},
		{"checkpoint.service<20us", {FREEZE_SERVICE, FREEZE_BELOW, MIX_CHECKPOINT, 20000}},
		{"batching<=1", {FREEZE_BATCHING, FREEZE_AT_MOST, -1, 1000 * MS}},
		{"log.own==64", {FREEZE_OWN, FREEZE_EQUAL, MIX_LOG, 64}},
		{"other>0", {FREEZE_OTHER, FREEZE_ABOVE, -1, 0}},
		{"sequence==18446744073709551615", {FREEZE_SEQUENCE, FREEZE_EQUAL, -1, UINT64_MAX}},
		{"time>=10s", {FREEZE_TIME, FREEZE_AT_LEAST, -1, 10000ull * MS}},
		{"error", {FREEZE_ERROR, FREEZE_AT_LEAST, -1, 1}},
		{"checkpoint.error", {FREEZE_ERROR, FREEZE_AT_LEAST, MIX_CHECKPOINT, 1}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct freeze freeze;
		const char *why = NULL;

		if (freeze_parse(cases[i].text, &freeze, &why))
			fail_msg("%s: %s", cases[i].text, why);
		assert_int_equal(freeze.count, 1);
		assert_int_equal(freeze.terms[0].field, cases[i].term.field);
		assert_int_equal(freeze.terms[0].operator, cases[i].term.operator);
		assert_int_equal(freeze.terms[0].stream, cases[i].term.stream);
		assert_int_equal(freeze.terms[0].value, cases[i].term.value);
	}
}

/* Of a log write: batching 1 us, service 9 us, in a closed loop latency 10 us, the 7th, 3 own and 2 other, reaped at 1 ms. */
static const struct record write_of_log = {.sequence = 7, .prep_ns = 990000, .enter_ns = 991000, .reap_ns = 1000000,
	.length = 4096, .result = 4096, .stream = MIX_LOG, .inflight_own = 3, .inflight_other = 2};

static bool holds_when_due(const char *text, const struct record *record, uint64_t due_ns)
{
	struct freeze freeze;
	const char *why = NULL;

	if (freeze_parse(text, &freeze, &why))
		fail_msg("%s: %s", text, why);
	return freeze_matches(&freeze, record, due_ns, 500000, NULL);
}

static bool holds_of(const char *text, const struct record *record)
{
	return holds_when_due(text, record, record->prep_ns);
}

TEST("each operator compares each field below, at and above the value")
{
	static const struct { const char *word, *values[3]; } cases[] = { /* below what is, equal, above */
		{"latency", {"9999ns", "10us", "10001ns"}}, {"service", {"8999ns", "9us", "9001ns"}},
		{"batching", {"999ns", "1us", "1001ns"}}, {"own", {"2", "3", "4"}}, {"other", {"1", "2", "3"}},
		{"sequence", {"6", "7", "8"}}, {"time", {"499999ns", "500us", "500001ns"}},
		{"log.latency", {"9999ns", "10us", "10001ns"}}, {"log.own", {"2", "3", "4"}},
	};
	static const struct { const char *text; bool is[3]; } tried[] = {
		{">", {true, false, false}}, {">=", {true, true, false}}, {"<", {false, false, true}},
		{"<=", {false, true, true}}, {"==", {false, true, false}},
	};

	for (size_t word = 0; word < sizeof(cases) / sizeof(cases[0]); word++) {
		for (size_t i = 0; i < 5; i++) {
			for (size_t value = 0; value < 3; value++) {
				char text[64];

				snprintf(text, sizeof(text), "%s%s%s", cases[word].word, tried[i].text,
					cases[word].values[value]);
				if (holds_of(text, &write_of_log) != tried[i].is[value])
					fail_msg("%s", text);
			}
		}
	}
}

TEST("a term with a stream matches only that stream")
{
	struct record checkpoint = write_of_log;

	checkpoint.stream = MIX_CHECKPOINT;
	assert_true(holds_of("log.own>=3", &write_of_log));
	assert_false(holds_of("log.own>=3", &checkpoint));
	assert_false(holds_of("checkpoint.own>=3", &write_of_log));
	assert_true(holds_of("checkpoint.own>=3", &checkpoint));
	assert_true(holds_of("own>=3", &write_of_log) && holds_of("own>=3", &checkpoint));
}

/* Every term must hold: a duration in its context. */
TEST("all terms of a condition must hold")
{
	assert_true(holds_of("latency>5us&&other>=2&&own<4", &write_of_log));
	assert_false(holds_of("latency>5us&&other>=3&&own<4", &write_of_log));
	assert_false(holds_of("latency>50us&&other>=2", &write_of_log));
	assert_false(holds_of("latency>5us&&own>3", &write_of_log));
	assert_true(holds_of("log.latency>5us&&log.other==2&&time>499us&&own>0&&own>1&&own>2&&own<4&&own<5", &write_of_log));
}

/* Who waits for a write that an open loop began 5 us late waits those 5 us, too; the device does not. */
TEST("lateness counts in latency but not in service time")
{
	uint64_t due_ns = write_of_log.prep_ns - 5000;

	assert_true(holds_when_due("latency==15us", &write_of_log, due_ns));
	assert_true(holds_when_due("late==5us&&service==9us&&batching==1us", &write_of_log, due_ns));
	assert_false(holds_when_due("latency>10us&&late<1us", &write_of_log, due_ns));
	assert_true(holds_of("latency==10us&&late==0s", &write_of_log));
}

TEST("the condition error matches failed and short writes")
{
	struct record failed = write_of_log;

	assert_false(holds_of("error", &write_of_log));
	failed.result = -EIO;
	assert_true(holds_of("error", &failed));
	assert_true(holds_of("log.error", &failed));
	assert_false(holds_of("checkpoint.error", &failed));
	failed.result = 512;
	assert_true(holds_of("error", &failed));
	failed.result = 0;
	assert_true(holds_of("error&&own>1", &failed));
}

TEST("an empty condition never matches")
{
	const struct freeze never = {0};

	assert_false(freeze_matches(&never, &write_of_log, 0, 0, NULL));
}

TEST("blanks around terms, operators and values are allowed")
{
	struct freeze dense, loose;
	const char *why = NULL;

	assert_int_equal(freeze_parse("log.latency>5ms&&other>=8&&error", &dense, &why), 0);
	memset(&loose, 0, sizeof(loose));
	if (freeze_parse(" log.latency > 5ms && other >=\t8 && error ", &loose, &why))
		fail_msg("%s", why);
	assert_int_equal(loose.count, dense.count);
	for (unsigned i = 0; i < dense.count; i++) {
		assert_int_equal(loose.terms[i].field, dense.terms[i].field);
		assert_int_equal(loose.terms[i].operator, dense.terms[i].operator);
		assert_int_equal(loose.terms[i].stream, dense.terms[i].stream);
		assert_int_equal(loose.terms[i].value, dense.terms[i].value);
	}
}

TEST("a condition of more than 255 letters is refused, since a dump has no place for it")
{
	struct freeze freeze;
	const char *why = NULL;
	char text[257];

	memset(text, ' ', sizeof(text));
	memcpy(text, "own>1", 5);
	text[255] = '\0';
	assert_int_equal(freeze_parse(text, &freeze, &why), 0);
	assert_string_equal(freeze.text, text);
	text[255] = ' ';
	text[256] = '\0';
	assert_int_equal(freeze_parse(text, &freeze, &why), -EINVAL);
	assert_string_equal(why, "a condition has up to 255 letters");
}

TEST("a step has two stations, with blanks or without")
{
	struct freeze freeze;
	const char *why = NULL;

	assert_int_equal(freeze_parse("checkpoint.step( 3 ,10 ) >= 1ms && cmd == 7", &freeze, &why), 0);
	assert_int_equal(freeze.count, 2);
	assert_int_equal(freeze.terms[0].field, FREEZE_STEP);
	assert_int_equal(freeze.terms[0].from, 3);
	assert_int_equal(freeze.terms[0].to, 10);
	assert_int_equal(freeze.terms[0].stream, MIX_CHECKPOINT);
	assert_int_equal(freeze.terms[0].value, MS);
	assert_int_equal(freeze.terms[1].field, FREEZE_CMD);
	assert_int_equal(freeze.terms[1].value, 7);
}

/* Two slices: the first waits 100 ns in the queue and was written at once, the second 300 ns, and it was a hit before. */
static const uint64_t two_slices[2][FREEZE_STATIONS] = {
	{0, 10, 20, 30, 40, 50, 60, 160, 800, 900, 1000, 1100},
	{0, 10, 20, 30, 45, 55, 0, 0, 0, 400, 700, 1100},
};
static const struct freeze_device completed = {.stations = two_slices, .slices = 2, .copies = 12, .busy_ways = 30, .depth = 5};

TEST("terms of a device are about the command that it completes, and a step about the slice that took longest")
{
	static const struct { const char *text; bool holds; } cases[] = {
		{"step(6,7)>=100ns", true}, {"step(6,7)>100ns", false}, {"step(9,10)==300ns", true}, {"step(1,11)==1090ns", true},
		{"step(8,9)<=100ns", true}, {"step(4,5)==10ns", true},
		{"copies>=12", true}, {"copies>12", false}, {"busy>29", true}, {"busy<30", false}, {"qdepth==5", true},
		{"cmd==4711", true}, {"cmd==4712", false}, {"log.copies>1", true}, {"checkpoint.copies>1", false},
		{"step(9,10)>200ns && busy>29 && copies>=8 && latency>=10us", true},
		{"step(9,10)>200ns && busy>30 && copies>=8 && latency>=10us", false},
	};
	struct record record = write_of_log;

	record.batch = 4711;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct freeze freeze;
		const char *why = NULL;

		if (freeze_parse(cases[i].text, &freeze, &why))
			fail_msg("%s: %s", cases[i].text, why);
		if ((bool)freeze_matches(&freeze, &record, record.prep_ns, 500000, &completed) != cases[i].holds)
			fail_msg("%s", cases[i].text);
	}
}

TEST("a term that the target knows nothing of is refused by its name")
{
	static const struct { const char *text; bool is_simulated; const char *word; } cases[] = {
		{"step(6,7)>1ms", true, NULL}, {"step(6,7)>1ms", false, "step "}, {"latency>1ms&&copies>1", false, "copies "},
		{"busy>1", false, "busy "}, {"qdepth>1", false, "qdepth "}, {"cmd==1", false, "cmd "}, {"cmd==1", true, NULL},
		{"error", true, "no error"}, {"own>1&&batching>1us", true, "no batching"}, {"error&&batching>1us", false, NULL},
		{"latency>1s&&service>1s&&late>1s&&own>1&&other>1&&sequence>1&&time>1s", true, NULL},
		{"latency>1s&&service>1s&&late>1s&&own>1&&other>1&&sequence>1&&time>1s", false, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct freeze freeze;
		const char *parsing = NULL;
		char why[128] = "";

		if (freeze_parse(cases[i].text, &freeze, &parsing))
			fail_msg("%s: %s", cases[i].text, parsing);
		assert_int_equal(freeze_check(&freeze, cases[i].is_simulated, why, sizeof(why)), cases[i].word ? -EINVAL : 0);
		if (cases[i].word && !strstr(why, cases[i].word))
			fail_msg("%s: %s", cases[i].text, why);
	}
}
