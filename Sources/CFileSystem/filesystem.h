// The kind of the file system a file is on, and a file's status without its times, both of which Swift's own view of the
// C library leaves out.
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

// The status of a file at a path, relative to a folder, or with AT_EMPTY_PATH of an open one; 0, or -1 with errno.
static inline long file_system_status(int descriptor, const char *path, int flags, struct statx *status) {
    return syscall(SYS_statx, descriptor, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE, status);
}

// The device as stat(2) has it.
static inline unsigned long long file_system_device(const struct statx *status) {
    return makedev(status->stx_dev_major, status->stx_dev_minor);
}
