// The kernel's view of threads, which Swift's own view of the C library leaves out.
#pragma once
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

pid_t gettid(void);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

// How many processors the current thread may run on; 0 if the kernel does not say.
static inline int thread_processor_count(void) {
    cpu_set_t set = {0};
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 0;
    }
    for (size_t index = 0; index < sizeof set.__bits / sizeof set.__bits[0]; index++) {
        count += __builtin_popcountl(set.__bits[index]);
    }
    return count;
}

// Schedules the current thread by a policy of <sched.h>; nothing happens if the system refuses.
//
// One that gives way has an eighteenth of the weight of the process's other threads while they compete for a processor.
// A slice of 0 is the kernel's usual one. Threads that the thread starts inherit policy and weight, not the slice, and
// cannot get the weight back without privileges.
static inline void thread_schedule(uint32_t policy, bool gives_way, uint64_t slice_nanoseconds) {
    // The kernel's struct sched_attr, for which not every C library has a header.
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes, .policy = policy, .runtime = slice_nanoseconds};
    // SCHED_FLAG_RESET_ON_FORK, which becomes part of the policy that the kernel names.
    attributes.flags = slice_nanoseconds > 0;
    // On Linux, of the current thread, and of the first one. A lower value than it has would need privileges.
    int own = getpriority(PRIO_PROCESS, 0), wanted = getpriority(PRIO_PROCESS, getpid()) + (gives_way ? 13 : 0);
    attributes.nice = own > wanted ? own : wanted < 19 ? wanted : 19;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// Schedules the current thread as batch work, which keeps its share of the processor but never preempts another thread.
static inline void thread_schedule_as_batch(bool gives_way) {
    // SCHED_BATCH, which <sched.h> shows only with extensions.
    thread_schedule(3, gives_way, 0);
}

// Schedules the current thread for short pieces of work between waits: when it wakes, it preempts others, which have
// longer slices, unless it has used more than its share. Kernels before 6.12 leave out the slices.
static inline void thread_schedule_in_short_slices(bool gives_way) {
    thread_schedule(SCHED_OTHER, gives_way, 100000);
}

// Schedules the current thread as idle work, which yields the processor to every other thread.
static inline void thread_schedule_as_idle(void) {
    // SCHED_IDLE, likewise.
    thread_schedule(5, false, 0);
}
