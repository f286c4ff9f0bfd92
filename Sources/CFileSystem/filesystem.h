// The kind of the file system a file is on, which Swift's own view of the C library leaves out.
#include <sys/vfs.h>
