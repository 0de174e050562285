/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run's verdict is, and its exit status: one follows from the other. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/result.h"

struct scene {
	struct frame *frame;
	struct ssd_run_options options;
	struct ssd_run_plan plan;
	struct run_repetition repetition;
	struct ssd_run_result result;
};

static void set_up(struct scene *scene)
{
	struct engine_stream *stream;

	memset(scene, 0, sizeof(*scene));
	stream = &scene->repetition.engine.streams[MIX_LOG];
	scene->plan.options = &scene->options;
	scene->plan.baselines.names[0] = "mix";
	scene->plan.place_count = 1;
	scene->frame = calloc(1, sizeof(*scene->frame));
	stream->is_run = true;
	stream->counts = counts_new(0);
	assert_true(scene->frame && stream->counts);
	stream->counts->operations = 100;
	stream->steady.verdict = LATENCY_STEADY;
	scene->result = (struct ssd_run_result){.plan = &scene->plan, .frame = scene->frame, .repetition_count = 1,
		.repetitions = &scene->repetition};
	scene->result.verify.is_complete = true;
	scene->result.verify.blocks = 10;
}

static void ends(struct scene *scene, int code, const char *status, const char *reason)
{
	ssd_run_result_decide(&scene->result);
	assert_int_equal(ssd_run_result_code(&scene->result), code);
	assert_string_equal(frame_status(scene->frame), status);
	if (reason)
		assert_string_equal(scene->frame->reasons[0].code, reason);
	else
		assert_int_equal(scene->frame->reason_count, 0);
	counts_free(scene->repetition.engine.streams[MIX_LOG].counts);
	free(scene->frame);
}

static void add_objective(struct scene *scene, const char *text)
{
	const char *why;

	assert_int_equal(slo_parse(text, run_slo_names, &scene->options.slos[scene->options.slo_count++], &why), 0);
}

TEST("a missed objective is status 1, one of commits in memory is undecided, and one without samples, too")
{
	static const struct {
		const char *text;
		enum backend_durability durability;
		bool is_in_memory, is_met;
		const char *undecided;
		int code;
	} rows[] = {
		{"p99<2ms", BACKEND_NONE, true, true, NULL, DIAG_EXIT_OK},
		{"p99<1ms", BACKEND_NONE, true, false, NULL, DIAG_EXIT_NEGATIVE},
		{"commit:mean<=3ms", BACKEND_FDATASYNC, false, true, NULL, DIAG_EXIT_OK},
		{"commit:mean<=3ms", BACKEND_FDATASYNC, true, false, "in memory", DIAG_EXIT_UNTRUSTED},
		{"commit:mean<=1ms", BACKEND_FDATASYNC, true, false, "in memory", DIAG_EXIT_UNTRUSTED},
		{"log:max<1s", BACKEND_FDATASYNC, true, true, NULL, DIAG_EXIT_OK}, /* its response ends before the sync */
		{"log:max<1s", BACKEND_DSYNC, true, false, "in memory", DIAG_EXIT_UNTRUSTED},
		{"sync:max<1s", BACKEND_FDATASYNC, false, false, "nothing was measured", DIAG_EXIT_UNTRUSTED},
		{"commit:mean<=3ms", BACKEND_FDATASYNC, false, false, "other programs used the disk, whose flushes may be theirs",
			DIAG_EXIT_UNTRUSTED},
	};
	struct scene scene = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct objective_values *objective = &scene.result.objectives[0];
		struct latency *latencies;

		set_up(&scene);
		for (int k = 0; k < MIX_STREAMS; k++)
			scene.repetition.engine.streams[k].counts = k == MIX_LOG ? scene.repetition.engine.streams[k].counts
										 : counts_new(0);
		latencies = scene.repetition.engine.streams[MIX_LOG].counts->latencies;
		latency_add(&latencies[COUNTS_RESPONSE], 1500000, 100);
		latency_add(&latencies[COUNTS_COMMIT], 3000000, 100);
		scene.options.durability = rows[i].durability;
		add_objective(&scene, rows[i].text);
		scene.result.durability[0][0] = (struct durability_check){.syncs = 100};
		scene.frame->durability = (struct durability){.count = 1, .layers = {{.name = "sda",
			.write_cache = "write through"}}};
		if (rows[i].undecided && strstr(rows[i].undecided, "other programs")) {
			scene.result.durability[0][0].status = DURABILITY_FLUSHED;
			frame_reason(scene.frame, "foreign-traffic", "a writer");
		}
		if (rows[i].is_in_memory) {
			scene.result.durability[0][0].status = DURABILITY_NOT_DURABLE;
			snprintf(scene.result.durability[0][0].why, sizeof(scene.result.durability[0][0].why), "in memory");
		}
		ssd_run_result_decide(&scene.result);
		scene.frame->reason_count -= scene.frame->reason_count &&
			!strcmp(scene.frame->reasons[0].code, "not-durable"); /* not of the objective */
		if (objective->is_met != rows[i].is_met || ssd_run_result_code(&scene.result) != rows[i].code)
			fail_msg("%s (%zu) is %s, status %d", rows[i].text, i, slo_word(objective),
				ssd_run_result_code(&scene.result));
		if (rows[i].undecided)
			assert_string_equal(objective->undecided, rows[i].undecided);
		else
			assert_null(objective->undecided);
		for (int k = 0; k < MIX_STREAMS; k++)
			counts_free(scene.repetition.engine.streams[k].counts);
		free(scene.frame);
	}
}

TEST("the verdict is the status")
{
	static const struct {
		const char *name;
		int code;
		const char *status, *reason;
		bool is_unprepared, is_interrupted, has_samples;
		uint64_t lost_events;
		enum run_trace trace;
		int error, result_code;
	} cases[] = {
		{"no fault", DIAG_EXIT_OK, "ok", NULL, .has_samples = true},
		{"--no-prepare", DIAG_EXIT_UNTRUSTED, "untrustworthy", "unprepared", .has_samples = true, .is_unprepared = true},
		{"lost events of --trace=on", DIAG_EXIT_UNTRUSTED, "untrustworthy", "lost-events", .has_samples = true,
			.lost_events = 1, .trace = RUN_TRACE_ON},
		{"lost events without --trace", DIAG_EXIT_OK, "ok", NULL, .has_samples = true, .lost_events = 7},
		{"no write", DIAG_EXIT_UNTRUSTED, "untrustworthy", "no-samples", .has_samples = false},
		{"interrupted", DIAG_EXIT_UNTRUSTED, "interrupted", NULL, .has_samples = true, .is_interrupted = true},
		{"a failed write", DIAG_EXIT_UNTRUSTED, "untrustworthy", "io-error", .has_samples = true, .error = -EIO,
			.result_code = DIAG_EXIT_HOST},
	};
	struct scene scene;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(&scene);
		scene.result.is_unprepared = cases[i].is_unprepared;
		scene.result.is_interrupted = cases[i].is_interrupted;
		scene.result.split.counts.lost_events = cases[i].lost_events;
		scene.options.trace = cases[i].trace;
		scene.repetition.engine.streams[MIX_LOG].counts->operations = cases[i].has_samples ? 100 : 0;
		scene.repetition.engine.error = cases[i].error;
		scene.result.code = cases[i].result_code;
		print_message("# %s\n", cases[i].name);
		ends(&scene, cases[i].code, cases[i].status, cases[i].reason);
	}
	set_up(&scene);
	scene.result.code = DIAG_EXIT_HOST;
	frame_reason(scene.frame, "header-not-written", "so");
	ends(&scene, DIAG_EXIT_HOST, "untrustworthy", "header-not-written");
}

TEST("checkpoints that are late by over a tenth of their interval on average are a reason")
{
	static const struct {
		uint64_t every_ns, late_ns, end_ns; /* of three checkpoints, and of one that did not begin */
		const char *reason;
	} cases[] = {
		{1000000000, 2000000000, 0, "mix: checkpoints were late by 2 s on average and 2 s at most, and not every 1 s: "
			"they take longer; use a longer --ckpt-every or a smaller --ckpt-size"},
		{1000000000, 0, 1500000000, "mix: checkpoints were late by 375 ms on average and 1.5 s at most, and not every 1 s: "
			"they take longer; use a longer --ckpt-every or a smaller --ckpt-size"},
		{1000000000, 2000000000, 400000000,
			"mix: checkpoints were late by 2 s on average and 2 s at most, and not every 1 s: "
			"they take longer; use a longer --ckpt-every or a smaller --ckpt-size"},
		{1000000000, 90000000, 0, NULL}, {1000000000, 0, 0, NULL}, {0, 0, 0, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct engine_worker worker = {.stream = MIX_CHECKPOINT, .late_ns = cases[i].end_ns};
		struct engine_stream *stream;
		struct scene scene;

		set_up(&scene);
		stream = &scene.repetition.engine.streams[MIX_CHECKPOINT];
		*stream = (struct engine_stream){.is_run = true, .counts = counts_new(0), .steady = {.verdict = LATENCY_STEADY}};
		stream->counts->operations = 100;
		latency_add(&stream->counts->latencies[COUNTS_LATE], cases[i].late_ns, 3);
		scene.plan.workload.streams[MIX_CHECKPOINT].every_ns = cases[i].every_ns;
		scene.repetition.engine.workers = &worker;
		scene.repetition.engine.worker_count = 1;
		ssd_run_result_decide(&scene.result);
		assert_int_equal(scene.frame->reason_count, cases[i].reason != NULL);
		if (cases[i].reason) {
			assert_string_equal(scene.frame->reasons[0].code, "checkpoint-late");
			assert_string_equal(scene.frame->reasons[0].text, cases[i].reason);
		}
		counts_free(stream->counts);
		counts_free(scene.repetition.engine.streams[MIX_LOG].counts);
		free(scene.frame);
	}
}

/* As in pmbench: a check, no reason. */
TEST("unsteady throughput is a check and no reason")
{
	struct scene scene;

	set_up(&scene);
	scene.repetition.engine.streams[MIX_LOG].steady = (struct latency_steady){.verdict = LATENCY_NOT_STEADY, .mean = 100,
		.range_percent = 40, .slope_percent = -30};
	ssd_run_result_decide(&scene.result);
	ssd_run_result_decide(&scene.result);
	assert_int_equal(scene.frame->check_count, 1);
	assert_string_equal(scene.frame->checks[0].code, "not-steady");
	assert_string_equal(scene.frame->checks[0].value, "mix log: range 40 %, slope -30 %");
	ends(&scene, DIAG_EXIT_OK, "ok", NULL);
}

/* Syncs of passes in a target of their own, of which the device below completed no flush. */
TEST("syncs of a second target are compared with its devices' flushes")
{
	const struct durability_check check = {.syncs = 10, .outstanding = 1, .flushes = {.is_known = {true}}};
	struct scene scene;

	set_up(&scene);
	scene.plan.baselines.cell_count = 1;
	scene.plan.place_count = 2;
	scene.plan.places[1].title = "checkpoint target";
	scene.result.layers[1] = (struct durability){.count = 1, .layers = {{.name = "sdb", .write_cache = "write back"}}};
	scene.result.durability[1][0] = check;
	ssd_run_result_decide(&scene.result);
	assert_non_null(strstr(scene.frame->reasons[0].text, "mix, checkpoint target: 10 syncs were acknowledged"));
	assert_int_equal(scene.result.durability[0][0].status, DURABILITY_UNASKED);
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "durability-not-confirmed");
}

TEST("lost and unknown blocks become reasons")
{
	static const struct {
		const char *name;
		uint64_t blocks, old, unreadable;
		int error, code;
		const char *reason;
	} cases[] = {
		{"old data", 10, 1, 0, 0, DIAG_EXIT_NEGATIVE, "lost-data"},
		{"an unreadable block of a device that works", 10, 0, 1, 0, DIAG_EXIT_NEGATIVE, "lost-data"},
		{"an unreadable block of a device that has failed", 10, 0, 1, -EIO, DIAG_EXIT_UNTRUSTED, "io-error"},
		{"old data on a device that has failed", 10, 1, 1, -EIO, DIAG_EXIT_NEGATIVE, "io-error"},
		{"nothing readable", 0, 0, 10, 0, DIAG_EXIT_UNTRUSTED, "not-verified"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene;
		struct verify_result *verify = &scene.result.verify;

		set_up(&scene);
		scene.result.has_verify = true;
		scene.repetition.engine.error = cases[i].error;
		verify->blocks = cases[i].blocks;
		verify->lost[VERIFY_OLD] = cases[i].old;
		verify->lost[VERIFY_UNREADABLE] = cases[i].unreadable;
		verify->total_lost = cases[i].old + cases[i].unreadable;
		print_message("# %s\n", cases[i].name);
		ends(&scene, cases[i].code, "untrustworthy", cases[i].reason);
	}
}
