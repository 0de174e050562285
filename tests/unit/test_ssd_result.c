/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run's verdict is, and its exit status: one follows from the other. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/diag.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/result.h"

struct scene {
	struct frame *frame;
	struct run_options options;
	struct run_plan plan;
	struct run_repetition repetition;
	struct run_result result;
};

static void set_up(struct scene *scene)
{
	struct engine_stream *stream = &scene->repetition.engine.streams[MIX_LOG];

	memset(scene, 0, sizeof(*scene));
	scene->plan.options = &scene->options;
	scene->plan.baselines.names[0] = "mix";
	scene->frame = calloc(1, sizeof(*scene->frame));
	stream->is_run = true;
	stream->counts = counts_new(0);
	assert_true(scene->frame && stream->counts);
	stream->counts->operations = 100;
	stream->steady.verdict = LATENCY_STEADY;
	scene->result = (struct run_result){.plan = &scene->plan, .frame = scene->frame, .repetition_count = 1,
		.repetitions = &scene->repetition};
	scene->result.verify.is_complete = true;
	scene->result.verify.blocks = 10;
}

static void ends(struct scene *scene, int code, const char *status, const char *reason)
{
	run_result_decide(&scene->result);
	assert_int_equal(run_result_code(&scene->result), code);
	assert_string_equal(frame_status(scene->frame), status);
	if (reason)
		assert_string_equal(scene->frame->reasons[0].code, reason);
	else
		assert_int_equal(scene->frame->reason_count, 0);
	counts_free(scene->repetition.engine.streams[MIX_LOG].counts);
	free(scene->frame);
}

TEST("the verdict is the status")
{
	struct scene scene;

	set_up(&scene);
	ends(&scene, DIAG_EXIT_OK, "ok", NULL);
	set_up(&scene);
	scene.result.is_unprepared = true;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "unprepared");
	set_up(&scene);
	scene.result.split.counts.lost_events = 1;
	scene.options.trace = RUN_TRACE_ON;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "lost-events");
	/* Nobody had asked for them. */
	set_up(&scene);
	scene.result.split.counts.lost_events = 7;
	ends(&scene, DIAG_EXIT_OK, "ok", NULL);
	set_up(&scene);
	scene.repetition.engine.streams[MIX_LOG].counts->operations = 0;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "no-samples");
	set_up(&scene);
	scene.result.is_interrupted = true;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "interrupted", NULL);
	set_up(&scene);
	scene.repetition.engine.error = -EIO;
	scene.result.code = DIAG_EXIT_HOST;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "io-error");
	set_up(&scene);
	scene.result.code = DIAG_EXIT_HOST;
	frame_reason(scene.frame, "header-not-written", "so");
	ends(&scene, DIAG_EXIT_HOST, "untrustworthy", "header-not-written");
}

/* As in pmbench: a check, no reason. */
TEST("unsteady throughput is a check and no reason")
{
	struct scene scene;

	set_up(&scene);
	scene.repetition.engine.streams[MIX_LOG].steady = (struct latency_steady){.verdict = LATENCY_NOT_STEADY, .mean = 100,
		.range_percent = 40, .slope_percent = -30};
	run_result_decide(&scene.result);
	run_result_decide(&scene.result);
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
	scene.result.checkpoint_layers = (struct durability){.count = 1, .layers = {{.name = "sdb", .write_cache = "write back"}}};
	scene.result.checkpoint_durability[0] = check;
	run_result_decide(&scene.result);
	assert_non_null(strstr(scene.frame->reasons[0].text, "mix, checkpoint target: 10 syncs were acknowledged"));
	assert_int_equal(scene.result.durability[0].status, DURABILITY_UNASKED);
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "durability-not-confirmed");
}

TEST("lost and unknown blocks become reasons")
{
	struct scene scene;

	set_up(&scene);
	scene.result.has_verify = true;
	scene.result.verify.total_lost = scene.result.verify.lost[VERIFY_OLD] = 1;
	ends(&scene, DIAG_EXIT_NEGATIVE, "untrustworthy", "lost-data");
	/* One place that cannot be read, on a device that works. */
	set_up(&scene);
	scene.result.has_verify = true;
	scene.result.verify.total_lost = scene.result.verify.lost[VERIFY_UNREADABLE] = 1;
	ends(&scene, DIAG_EXIT_NEGATIVE, "untrustworthy", "lost-data");
	/* On one that has failed before. */
	set_up(&scene);
	scene.result.has_verify = true;
	scene.repetition.engine.error = -EIO;
	scene.result.verify.total_lost = scene.result.verify.lost[VERIFY_UNREADABLE] = 1;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "io-error");
	/* But what can be read, and is old, is lost there, too. */
	set_up(&scene);
	scene.result.has_verify = true;
	scene.repetition.engine.error = -EIO;
	scene.result.verify.lost[VERIFY_UNREADABLE] = scene.result.verify.lost[VERIFY_OLD] = 1;
	scene.result.verify.total_lost = 2;
	ends(&scene, DIAG_EXIT_NEGATIVE, "untrustworthy", "io-error");
	/* Nothing at all can be read. */
	set_up(&scene);
	scene.result.has_verify = true;
	scene.result.verify.blocks = 0;
	scene.result.verify.total_lost = scene.result.verify.lost[VERIFY_UNREADABLE] = 10;
	ends(&scene, DIAG_EXIT_UNTRUSTED, "untrustworthy", "not-verified");
}
