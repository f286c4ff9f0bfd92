// The kernel's view of threads, which Swift's own view of the C library leaves out.
#pragma once
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
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

// Schedules the current thread as batch work, which keeps its share of the processor but never preempts another thread.
// Nothing happens if the system refuses.
static inline void thread_schedule_as_batch(void) {
    struct sched_param parameters = {0};
    // SCHED_BATCH, which <sched.h> shows only with extensions.
    sched_setscheduler(0, 3, &parameters);
}

// Schedules the current thread as idle work, which yields the processor to every other thread.
// Nothing happens if the system refuses.
static inline void thread_schedule_as_idle(void) {
    struct sched_param parameters = {0};
    // SCHED_IDLE, likewise.
    sched_setscheduler(0, 5, &parameters);
}
