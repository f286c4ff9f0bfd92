// Whether the kernel takes its clock for synchronized, which Swift's own view of the C library leaves out.
#include <sys/timex.h>
