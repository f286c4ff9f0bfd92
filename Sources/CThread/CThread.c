#define _GNU_SOURCE
#include "CThread.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int thread_processor_count(void) {
    // Of 1,024 processors each.
    cpu_set_t sets[8];
    return sched_getaffinity(0, sizeof sets, sets) == 0 ? CPU_COUNT_S(sizeof sets, sets) : 0;
}

// A slice of 0 is the kernel's usual one.
static void schedule(uint32_t policy, bool gives_way, uint64_t slice_nanoseconds) {
    // The kernel's struct sched_attr, for which not every C library has a header.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes, .policy = policy, .runtime = slice_nanoseconds};
    // SCHED_FLAG_RESET_ON_FORK, so that threads it starts do not inherit a slice. Without one it is not set, because the
    // kernel then names it as part of the policy.
    attributes.flags = slice_nanoseconds > 0;
    // On Linux, of the current thread, and of the first one. A lower value than it has would need privileges.
    int own = getpriority(PRIO_PROCESS, 0), wanted = getpriority(PRIO_PROCESS, getpid()) + (gives_way ? 13 : 0);
    attributes.nice = own > wanted ? own : wanted < 19 ? wanted : 19;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void thread_schedule_as_batch(bool gives_way) {
    schedule(SCHED_BATCH, gives_way, 0);
}

void thread_schedule_in_short_slices(void) {
    schedule(SCHED_OTHER, true, 100000);
}

void thread_schedule_as_usual(void) {
    schedule(SCHED_OTHER, false, 0);
}
