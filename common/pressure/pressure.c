/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure/pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/swap.h"
#include "common/pressure/pressure_check.h"
#include "common/pressure/pressure_run.h"
#include "common/report/report_file.h"
#include "common/storage/target.h"
#include "common/undo/undo.h"
#include "common/undo/undo_actions.h"

#define PROGRAM "with-pressure" /* names the folder of journals */
/* Reclaim empties the inactive list within some 10 ms (docs/adr/0014). */
#define FLUSH_MS 2
#define IDLE_MS  200

struct pressure {
	struct pressure_run run;
	bool is_plain; /* the plan is empty: the job is a child of the caller */
	pid_t child;   /* plain: the job; 0 = already reaped */
	int wait_status;
	uint64_t end_ns;
	struct rusage usage;
	int pidfd;     /* plain: of the job */
	int was_subreaper;
	uint64_t setup_ns;
};

static int open_pidfd(pid_t pid, int *fd)
{
	int found = (int)syscall(SYS_pidfd_open, pid, 0);

	if (found >= 0) {
		*fd = found;
		return 0;
	}
	return diag_error(errno, "cannot watch process %d (pidfd_open, Linux 5.3)", (int)pid);
}

static int start_plain(struct pressure *pressure)
{
	pid_t parent = getpid();
	int ret, code;

	pressure->is_plain = true;
	/* Buffered output must be written once only. */
	fflush(NULL);
	pressure->child = fork();
	if (pressure->child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(DIAG_EXIT_USAGE);
		code = pressure->run.job(pressure->run.arg);
		fflush(NULL);
		_exit(code);
	}
	if (pressure->child < 0)
		return diag_error(errno, "cannot start the job");
	ret = open_pidfd(pressure->child, &pressure->pidfd);
	if (ret) {
		kill(pressure->child, SIGKILL);
		(void)TEMP_FAILURE_RETRY(waitpid(pressure->child, NULL, 0));
	}
	return ret;
}

/* --- setup --- */

static int note(const struct pressure_run *run, enum undo_act act, uint64_t a, uint64_t b, const char *path)
{
	struct undo_action action = {.act = act, .a = a, .b = b};

	if (snprintf(action.path, sizeof(action.path), "%s", path) >= (int)sizeof(action.path))
		return diag_error(ENAMETOOLONG, "cannot record %s in the journal", path);
	return undo_add(run->undo, &action);
}

/* Sets a value of the machine. A failure is an error only if the setting was requested. */
static int pin_setting(struct pressure_run *run, const char *path, unsigned value, bool is_asked_for)
{
	struct undo_action action = {.act = UNDO_SHARED};
	uint64_t before;
	int ret;

	if (!is_asked_for && sysfs_read_u64("", path, &before)) {
		diag_warn("%s cannot be read: it stays as it is", path);
		return 0;
	}
	snprintf(action.path, sizeof(action.path), "%s", path);
	snprintf(action.ours, sizeof(action.ours), "%u", value);
	ret = undo_add(run->undo, &action);
	if (ret)
		return ret;
	ret = sysfs_write("", path, action.ours);
	if (ret && is_asked_for)
		diag_error(ret, "cannot write %s to %s", action.ours, path);
	else if (ret)
		diag_warn("%s cannot be written: it stays as it is", path);
	return is_asked_for ? ret : 0;
}

/* The number and diskseq of a new device are known only after hot_add. Until then the journal has their lower bounds, and the
 * folder's lock keeps other runs from making a device. */
static int add_zram(struct pressure_run *run, struct zram *zram)
{
	unsigned ids[ZRAM_DEVICES];
	size_t count;
	int dir_fd, ret = zram_list("", ids, ZRAM_DEVICES, &count);

	if (!ret)
		ret = journal_lock_dir(undo_journal(run->undo)->dir, &dir_fd);
	if (ret)
		return diag_error(ret, "cannot prepare for a zram device");
	ret = note(run, UNDO_HOT_ADD, zram_next_id(ids, count), zram_newest_diskseq("") + 1, "");
	if (!ret) {
		ret = zram_add(zram);
		if (ret)
			diag_error(ret, "cannot make a zram device");
	}
	if (!ret)
		ret = note(run, UNDO_ZRAM, zram->id, zram->diskseq, "");
	close(dir_fd);
	return ret;
}

/* Chooses the priority under the folder's lock, so that no two runs choose the same. */
static int turn_on(struct pressure_run *run, int fd, struct undo_action *action)
{
	const struct journal *journal = undo_journal(run->undo);
	int dir_fd, priority, ret = journal_lock_dir(journal->dir, &dir_fd);

	if (ret)
		return diag_error(ret, "cannot lock %s", journal->dir);
	priority = swap_free_priority("");
	snprintf(action->ours, sizeof(action->ours), "%d", priority);
	ret = undo_add(run->undo, action);
	if (!ret) {
		ret = swap_on(fd, priority);
		if (ret)
			diag_error(ret, "cannot swap on %s", action->path);
		else
			pressure_watch_own(&run->shared->watch, action->path, priority);
	}
	close(dir_fd);
	return ret;
}

static int activate(struct pressure_run *run, const char *path)
{
	struct undo_action action = {.act = UNDO_SWAP};
	int fd, ret = swap_open(path, undo_journal(run->undo)->uuid, &fd);

	if (ret)
		return diag_error(ret, "cannot swap on %s", path);
	if (snprintf(action.path, sizeof(action.path), "%s", path) >= (int)sizeof(action.path))
		ret = diag_error(ENAMETOOLONG, "cannot record %s in the journal", path);
	else
		ret = turn_on(run, fd, &action);
	close(fd);
	return ret;
}

static int setup_zram(struct pressure_run *run)
{
	const struct pressure_swap *swap = &run->plan.swap;
	struct zram zram;
	const char *path;
	char size[32];
	int fd, ret = add_zram(run, &zram);

	if (ret)
		return ret;
	ret = zram_configure("", zram.id, swap->algorithm, pressure_zram_limit("", &run->plan), swap->bytes);
	if (ret)
		return diag_error(ret, "cannot set zram%u to %s with compressor %s", zram.id,
			units_format_size(swap->bytes, size, sizeof(size)),
			swap->algorithm[0] ? swap->algorithm : "of the kernel's choice");
	path = SYSFS_PATH("/dev/zram%u", zram.id);
	ret = blockdev_open_unused(path, &fd);
	if (!ret) {
		ret = swap_format(fd, swap->bytes, undo_journal(run->undo)->uuid);
		close(fd);
	}
	if (ret)
		return diag_error(ret, "cannot write a swap header to %s", path);
	return activate(run, path);
}

/* Opens the folder, which the caller closes, and writes the path as the kernel has it in /proc/swaps. */
static int resolve(const char *path, int *folder, char name[NAME_MAX + 1], char *resolved, size_t length)
{
	struct stat opened, named;
	char text[PATH_MAX];
	ssize_t used;
	int ret = report_draft_place(path, folder, name);

	if (ret)
		return ret;
	used = readlink(SYSFS_PATH("/proc/self/fd/%d", *folder), text, sizeof(text) - 1);
	text[used > 0 ? used : 0] = '\0';
	/* The kernel's text for a folder without a path (removed, or mounted elsewhere) may name another folder. */
	if (used < 0 || fstat(*folder, &opened) || lstat(text, &named))
		ret = -errno;
	else if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		ret = -ENOENT;
	else if (snprintf(resolved, length, "%s/%s", strcmp(text, "/") ? text : "", name) >= (int)length)
		ret = -ENAMETOOLONG;
	/* A journal has one action per line. */
	else if (strchr(resolved, '\n'))
		ret = -EINVAL;
	if (ret)
		close(*folder);
	return ret;
}

/* Gives the file its name only after the journal has its inode: a file of a run that was killed before has no name and
 * vanishes; later the named file is compared with the journal. */
static int make_file(struct pressure_run *run, int folder, const char *name, const char *path, int *fd, struct stat *stat)
{
	const struct pressure_swap *swap = &run->plan.swap;
	int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), ret = file < 0 ? -errno : 0;

	if (!ret) {
		pressure_forbid_copy_on_write(file);
		ret = fallocate(file, 0, 0, (off_t)swap->bytes) ? -errno : 0;
	}
	if (!ret)
		ret = swap_format(file, swap->bytes, undo_journal(run->undo)->uuid);
	if (!ret && fstat(file, stat))
		ret = -errno;
	if (!ret)
		ret = note(run, UNDO_SWAP_FILE, stat->st_dev, stat->st_ino, path);
	if (!ret && linkat(AT_FDCWD, SYSFS_PATH("/proc/self/fd/%d", file), folder, name, AT_SYMLINK_FOLLOW))
		ret = -errno;
	if (ret) {
		diag_error(ret, "cannot make the swap file %s", path);
		if (file >= 0)
			close(file);
		return ret;
	}
	*fd = file;
	return 0;
}

static int setup_loop(struct pressure_run *run, int file_fd, const struct stat *stat)
{
	char path[LOOPDEV_PATH];
	bool is_direct;
	int device_fd, ret = loopdev_attach(file_fd, path, &device_fd, &is_direct);

	if (ret)
		return diag_error(ret, "cannot attach %s to a loop device", run->plan.swap.path);
	if (!is_direct)
		diag_warn("%s has no direct I/O on this file system: the page cache holds swapped pages too", path);
	/* Until it is swapped on, the device detaches itself when this process dies, so the journal entry may come after. */
	ret = note(run, UNDO_SWAP_LOOP, stat->st_dev, stat->st_ino, path);
	if (!ret)
		ret = activate(run, path);
	close(device_fd);
	return ret;
}

static int setup_file(struct pressure_run *run)
{
	char path[512], name[NAME_MAX + 1];
	struct stat stat;
	int fd = -1, folder, ret = resolve(run->plan.swap.path, &folder, name, path, sizeof(path));

	if (ret)
		return diag_error(ret, "cannot find the folder of %s", run->plan.swap.path);
	ret = make_file(run, folder, name, path, &fd, &stat);
	close(folder);
	if (ret)
		return ret;
	if (run->plan.swap.kind == PRESSURE_SWAP_LOOP)
		ret = setup_loop(run, fd, &stat);
	else
		ret = activate(run, path);
	close(fd);
	return ret;
}

/* Uses a swap area on the device unchanged, or overwrites the device when that is confirmed. All checks use one descriptor,
 * which excludes others until just before swapon(2), which excludes them too. */
static int setup_device(struct pressure_run *run)
{
	struct undo_action action = {.act = UNDO_SWAP_DEVICE};
	struct target target;
	char path[PATH_MAX];
	bool is_area = false;
	int fd = -1, ret = pressure_open_device(&run->plan, &target, &is_area);

	if (ret)
		return ret;
	if (!realpath(run->plan.swap.path, path))
		ret = -errno;
	else if (snprintf(action.path, sizeof(action.path), "%s", path) >= (int)sizeof(action.path))
		ret = -ENAMETOOLONG;
	if (!ret && !is_area)
		ret = swap_format(target.fd, target.size_bytes, undo_journal(run->undo)->uuid);
	if (!ret) {
		fd = open(SYSFS_PATH("/proc/self/fd/%d", target.fd), O_RDONLY | O_CLOEXEC);
		ret = fd < 0 ? -errno : 0;
	}
	if (ret)
		diag_error(ret, "cannot prepare %s as swap", run->plan.swap.path);
	action.a = target.device;
	action.b = blockdev_diskseq(target.device);
	target_close(&target);
	if (!ret)
		ret = turn_on(run, fd, &action);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int setup_cgroup(struct pressure_run *run, struct cgroup cgroup)
{
	const struct cgroup_limits limits = {
		.bytes = run->plan.ram_bytes,
		.high_bytes = run->plan.high_bytes,
		.without_swap = run->plan.swap.kind == PRESSURE_SWAP_NONE,
		.has_swappiness = run->plan.has_swappiness,
		.swappiness = run->plan.swappiness,
	};
	size_t used = strlen(cgroup.dir);
	int ret;

	if (snprintf(cgroup.dir + used, sizeof(cgroup.dir) - used, "/with-pressure-%s", undo_journal(run->undo)->name) >=
		(int)(sizeof(cgroup.dir) - used))
		return diag_error(ENAMETOOLONG, "cannot make a memory cgroup in %s", cgroup.dir);
	ret = note(run, UNDO_CGROUP, (uint64_t)cgroup.version, 0, cgroup.dir);
	if (ret)
		return ret;
	ret = cgroup_create(&cgroup);
	if (!ret)
		ret = cgroup_limit(&cgroup, &limits);
	if (ret)
		diag_error(ret, "cannot make and limit the memory cgroup %s", cgroup.dir);
	else
		run->shared->cgroup = cgroup;
	return ret;
}

/* Reads the value back as the kernel prints it: undo compares this text to decide whether the setting is still the run's. */
static int set_one(struct pressure_run *run, const char *path, const char *value)
{
	struct undo_action action = {.act = UNDO_SHARED};
	char before[sizeof(action.before)], now[sizeof(action.before)];
	int ret;

	snprintf(action.path, sizeof(action.path), "%s", path);
	snprintf(action.ours, sizeof(action.ours), "%s", value);
	ret = undo_read_setting(&action, before);
	if (!ret)
		ret = undo_add(run->undo, &action);
	else
		diag_error(ret, "cannot read one value in %s", path);
	if (ret)
		return ret;
	ret = sysfs_write("", path, value);
	if (ret)
		return diag_error(ret, "cannot write %s to %s", value, path);
	ret = undo_read_setting(&action, now);
	if (!ret && !strcmp(now, value))
		return 0;
	(void)sysfs_write("", path, before);
	return diag_error(-EINVAL, "%s reads '%s' after '%s' was written; give the value that the kernel prints", path,
		ret ? "" : now, value);
}

static int set_values(struct pressure_run *run)
{
	const struct pressure_plan *plan = &run->plan;
	int ret = 0;

	for (size_t i = 0; i < plan->setting_count && !ret; i++)
		ret = set_one(run, plan->settings[i].path, plan->settings[i].value);
	return ret;
}

#define ZSWAP "/sys/module/zswap/parameters/"

static int set_zswap(struct pressure_run *run)
{
	const struct pressure_swap *swap = &run->plan.swap;
	char percent[16];
	int ret = 0;

	snprintf(percent, sizeof(percent), "%u", swap->pool_percent);
	if (*swap->algorithm)
		ret = set_one(run, ZSWAP "compressor", swap->algorithm);
	if (!ret)
		ret = set_one(run, ZSWAP "max_pool_percent", percent);
	return ret ? ret : set_one(run, ZSWAP "enabled", "Y");
}

/* Performs every action of the plan, each journaled first. Reports its errors; the journal has the actions done until then. */
static int pressure_setup(struct pressure_run *run)
{
	const struct pressure_plan *plan = &run->plan;
	struct cgroup parent = {0};
	int ret = 0, no_cgroup;
	char why[512];

	no_cgroup = cgroup_find_parent("", &parent, why, sizeof(why));
	/* Swap readahead would read eight pages for one fault. */
	ret = set_values(run);
	if (!ret && plan->page_cluster >= 0 && pressure_limits_memory(plan))
		ret = pin_setting(run, "/proc/sys/vm/page-cluster", (unsigned)plan->page_cluster, plan->has_page_cluster);
	if (!ret && plan->has_swappiness && (no_cgroup || parent.version == 2))
		ret = pin_setting(run, "/proc/sys/vm/swappiness", plan->swappiness, true);
	if (!ret && plan->swap.kind == PRESSURE_SWAP_ZRAM)
		ret = setup_zram(run);
	else if (!ret && plan->swap.kind == PRESSURE_SWAP_ZSWAP)
		ret = set_zswap(run);
	if (!ret && pressure_makes_file(&plan->swap))
		ret = setup_file(run);
	else if (!ret && plan->swap.kind == PRESSURE_SWAP_DEVICE)
		ret = setup_device(run);
	if (ret || !pressure_wants_cgroup(plan, parent.version))
		return ret;
	if (no_cgroup) {
		diag_error(0, "%s", why);
		return no_cgroup;
	}
	return setup_cgroup(run, parent);
}

/* --- guardian: sets up, watches the keeper, and restores --- */

static void watch(struct pressure_run *run)
{
	struct pressure_shared *shared = run->shared;

	run->watched_ns = clock_ns(CLOCK_MONOTONIC);
	pressure_watch_swap(&shared->watch, "", &shared->cgroup);
	if (shared->cgroup.version && pressure_watch_limits(&shared->watch, &shared->cgroup) && run->plan.is_contained &&
		shared->keeper) {
		shared->was_contained = !shared->has_status;
		kill(shared->keeper, SIGKILL);
	}
}

/* Flushes the statistics, without which a tight cgroup is killed although swap is free (cgroup.h). */
static void tick(void *arg)
{
	struct pressure_run *run = arg;
	struct pollfd swaps = {.fd = run->swaps_fd, .events = POLLPRI};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	pressure_reap_eaters(run);
	if (now_ns - run->watched_ns >= PRESSURE_WATCH_MS * 1000000ull || poll(&swaps, 1, 0) > 0)
		watch(run);
	if (!run->shared->cgroup.version || now_ns - run->flushed_ns < FLUSH_MS * 1000000ull)
		return;
	cgroup_flush_stat(&run->shared->cgroup);
	run->flushed_ns = now_ns;
}

static void note_job_end(void *arg)
{
	struct pressure_run *run = arg;

	pressure_reap_keeper(run);
	watch(run);
	close(run->guardian_job.polled_fd);
	run->guardian_job.polled_fd = -1;
	guardian_send(run->guardian_fd, PRESSURE_ENDED, 0);
}

static void obey_front(void *arg, const struct guardian_message *message)
{
	struct pressure_run *run = arg;

	if (message->verb == PRESSURE_MARK)
		pressure_start_eaters(run);
	else if (message->verb == PRESSURE_KILL)
		guardian_send(run->keeper_fd, PRESSURE_KILL, message->value);
}

static int begin(void *arg, struct undo *undo, int fd)
{
	struct pressure_run *run = arg;
	int ret;

	run->undo = undo;
	run->guardian_fd = fd;
	pressure_warn("", &run->plan);
	ret = pressure_setup(run);
	if (!ret && run->shared->cgroup.version)
		pressure_watch_begin(&run->shared->watch, &run->shared->cgroup);
	run->swaps_fd = -1;
	/* poll of this file reports each swapon and swapoff of the machine. */
	if (!ret && run->shared->watch.own_path[0])
		run->swaps_fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	if (!ret)
		ret = pressure_start_keeper(run);
	if (!ret)
		ret = open_pidfd(run->shared->keeper, &run->guardian_job.polled_fd);
	run->guardian_job.tick_ms = run->shared->cgroup.version ? FLUSH_MS
		: run->swaps_fd >= 0 ? PRESSURE_WATCH_MS : IDLE_MS;
	return ret;
}

/* Kills the job before the restore: swapoff would otherwise read everything back against the limit. In the front this runs
 * after the guardian's death, which killed the keeper: reap it (the front is a subreaper). */
static void end(void *arg)
{
	struct pressure_run *run = arg;
	uint64_t kills;

	if (run->shared->keeper && getpid() != run->front)
		kill(run->shared->keeper, SIGKILL);
	pressure_reap_keeper(run);
	pressure_reap_eaters(run);
	pressure_stop_eaters(run);
	/* The count includes eaters that the kernel killed, which are not the job. */
	if (run->shared->cgroup.version && !cgroup_oom_kills(&run->shared->cgroup, &kills) && kills > run->shared->eaters_lost)
		run->shared->was_oom_killed = true;
}

/* --- front --- */

static void free_run(struct pressure *pressure)
{
	if (pressure->pidfd >= 0)
		close(pressure->pidfd);
	if (pressure->run.shared) {
		munmap(pressure->run.shared, sizeof(*pressure->run.shared));
		prctl(PR_SET_CHILD_SUBREAPER, (long)pressure->was_subreaper, 0, 0, 0);
	}
	free(pressure);
}

static int start_guarded(struct pressure *pressure)
{
	struct pressure_run *run = &pressure->run;
	int ret;

	run->shared = mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->shared == MAP_FAILED) {
		ret = -errno;
		run->shared = NULL;
		return diag_error(ret, "cannot start the job");
	}
	prctl(PR_GET_CHILD_SUBREAPER, &pressure->was_subreaper, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1l, 0, 0, 0);
	run->front = getpid();
	run->guardian_job = (struct guardian_job){
		.name = "pressure-guard",
		.arg = run,
		.begin = begin,
		.hear = obey_front,
		.ready = note_job_end,
		.tick = tick,
		.end = end,
		.polled_fd = -1,
	};
	return undo_open_with(PROGRAM, undo_allows, &run->guardian_job, &run->undo);
}

int pressure_start(
	const struct pressure_plan *plan, int (*job)(void *arg), void *arg, struct pressure **pressure)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	struct pressure *made = calloc(1, sizeof(*made));
	int ret;

	if (!made)
		return diag_error(ENOMEM, "cannot start the job");
	made->run = (struct pressure_run){.plan = *plan, .job = job, .arg = arg, .guardian_fd = -1, .keeper_fd = -1};
	made->pidfd = -1;
	ret = pressure_is_wanted(plan) ? start_guarded(made) : start_plain(made);
	if (ret) {
		free_run(made);
		return ret;
	}
	made->setup_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	*pressure = made;
	return 0;
}

int pressure_fd(const struct pressure *pressure)
{
	return pressure->is_plain ? pressure->pidfd : undo_fd(pressure->run.undo);
}

const char *pressure_cgroup_dir(const struct pressure *pressure)
{
	if (pressure->is_plain || !pressure->run.shared->cgroup.version)
		return NULL;
	return pressure->run.shared->cgroup.dir;
}

void pressure_mark_start(struct pressure *pressure)
{
	if (pressure->is_plain || !pressure->run.plan.eater_count)
		return;
	pressure->run.shared->start_ns = clock_ns(CLOCK_MONOTONIC);
	guardian_send(undo_fd(pressure->run.undo), PRESSURE_MARK, 0);
}

int pressure_kill(struct pressure *pressure, int signal)
{
	if (pressure->is_plain)
		return pressure->child && kill(pressure->child, signal) ? -errno : 0;
	return guardian_send(undo_fd(pressure->run.undo), PRESSURE_KILL, signal);
}

void pressure_reap(struct pressure *pressure)
{
	if (!pressure->is_plain || !pressure->child)
		return;
	(void)TEMP_FAILURE_RETRY(wait4(pressure->child, &pressure->wait_status, 0, &pressure->usage));
	pressure->end_ns = clock_ns(CLOCK_MONOTONIC);
	pressure->child = 0;
}

void pressure_finish(struct pressure *pressure, struct pressure_outcome *outcome)
{
	struct pressure_outcome result = {.setup_ns = pressure->setup_ns};
	struct pressure_run *run = &pressure->run;
	struct guardian_message message = {0};
	uint64_t begin_ns;

	if (pressure->is_plain) {
		pressure_reap(pressure);
		result.wait_status = pressure->wait_status;
		result.end_ns = pressure->end_ns;
		result.usage = pressure->usage;
		result.is_restored = true;
	} else {
		/* The job or the guardian has ended: undo_finish distinguishes them. */
		guardian_receive(undo_fd(run->undo), &message);
		begin_ns = clock_ns(CLOCK_MONOTONIC);
		result.is_restored = !undo_finish(run->undo, &result.was_guardian_killed);
		result.teardown_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
		result.wait_status = run->shared->wait_status;
		result.end_ns = run->shared->end_ns;
		result.usage = run->shared->usage;
		result.was_oom_killed = run->shared->was_oom_killed;
		result.eaters_lost = run->shared->eaters_lost;
		result.was_contained = run->shared->was_contained;
		pressure_watch_reasons(&run->shared->watch, &result);
	}
	free_run(pressure);
	*outcome = result;
}

int pressure_recover(unsigned *journals)
{
	return undo_recover(PROGRAM, NULL, journals);
}

int pressure_set_aside(unsigned *journals)
{
	return undo_set_aside(PROGRAM, NULL, journals);
}
