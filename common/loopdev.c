/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/loopdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ATTEMPTS 32       /* others may take the free device first */
#define SECTOR_BYTES 4096 /* whole pages, so that direct I/O is aligned on every file system */

static int try_attach(int control, int file_fd, char path[LOOPDEV_PATH], int *device_fd)
{
	const struct loop_config config = {
		.fd = (uint32_t)file_fd,
		.block_size = SECTOR_BYTES,
		.info = {.lo_flags = LO_FLAGS_DIRECT_IO | LO_FLAGS_AUTOCLEAR},
	};
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	int fd, ret = 0;

	if (number < 0)
		return -errno;
	snprintf(path, LOOPDEV_PATH, "/dev/loop%d", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, LOOP_CONFIGURE, &config)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	*device_fd = fd;
	return 0;
}

int loopdev_attach(int file_fd, char path[LOOPDEV_PATH], int *device_fd, bool *is_direct)
{
	struct loop_info64 info;
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int ret = -EBUSY;

	if (control < 0)
		return -errno;
	for (int attempt = 0; ret == -EBUSY && attempt < ATTEMPTS; attempt++)
		ret = try_attach(control, file_fd, path, device_fd);
	close(control);
	if (ret)
		return ret;
	*is_direct = !ioctl(*device_fd, LOOP_GET_STATUS64, &info) && (info.lo_flags & LO_FLAGS_DIRECT_IO);
	return 0;
}

/* 1, 0 or -errno. */
static int look_over(int fd, uint64_t device, uint64_t inode)
{
	struct loop_info64 info;

	if (!ioctl(fd, LOOP_GET_STATUS64, &info))
		return info.lo_device == device && info.lo_inode == inode;
	return errno == ENXIO ? 0 : -errno;
}

int loopdev_look(const char *path, uint64_t device, uint64_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found;

	if (fd < 0)
		return -errno;
	found = look_over(fd, device, inode);
	close(fd);
	return found;
}

int loopdev_look_device(const char *path, uint64_t number)
{
	struct loop_info64 info;
	int fd = open(path, O_RDONLY | O_CLOEXEC), found;

	if (fd < 0)
		return -errno;
	/* Of a file this number is 0, which no device has. */
	if (!ioctl(fd, LOOP_GET_STATUS64, &info))
		found = info.lo_rdevice == number && number;
	else
		found = errno == ENXIO ? 0 : -errno;
	close(fd);
	return found;
}

bool loopdev_is_over(const char *path, uint64_t device, uint64_t inode)
{
	return loopdev_look(path, device, inode) == 1;
}

int loopdev_detach(const char *path, uint64_t device, uint64_t inode)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? 0 : -errno;
	/* With other openers the kernel turns this into detaching at their last close. */
	if (look_over(fd, device, inode) == 1 && ioctl(fd, LOOP_CLR_FD) && errno != ENXIO)
		ret = -errno;
	close(fd);
	return ret;
}
