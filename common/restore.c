/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/restore.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/diag.h"
#include "common/loopdev.h"

void restore_say(bool says_so, const char *format, ...)
{
	char text[800];
	va_list arguments;

	if (!says_so)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	diag_info("restored: %s", text);
}

int restore_loop(const char *path, uint64_t device, uint64_t inode, bool says_so)
{
	int ret = loopdev_look(path, device, inode);

	/* What cannot be seen is not restored: only a device that is not there, or is another's, is done. */
	if (!ret || ret == -ENOENT || ret == -ENXIO)
		return 0;
	if (ret > 0)
		ret = loopdev_detach(path, device, inode);
	if (ret)
		diag_error(ret, "cannot detach %s", path);
	else
		restore_say(says_so, "%s detached", path);
	return ret;
}
