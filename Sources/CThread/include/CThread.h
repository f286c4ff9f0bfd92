// The kernel's view of threads, which Swift's own view of the C library leaves out.
#pragma once
#include <stdbool.h>
#include <sys/types.h>

pid_t gettid(void);

// How many processors the current thread may run on; 0 if the kernel does not say, or has more than 8,192.
int thread_processor_count(void);

// Schedules the current thread as batch work, which keeps its share of the processor but never preempts another thread.
//
// One that gives way has an eighteenth of the weight of the process's other threads while they compete for a processor.
// Threads that the thread starts inherit policy and weight, and cannot get the weight back without privileges. This and
// what follows changes nothing if the system refuses.
void thread_schedule_as_batch(bool gives_way);

// Schedules the current thread for short pieces of work between waits: when it wakes, it preempts others, which have
// longer slices, unless it has used more than its share. It gives way, as above; threads that it starts inherit that, not
// the slices. Kernels before 6.12 have none.
void thread_schedule_in_short_slices(void);

// Schedules the current thread as any other, which ends batch work that does not give way.
void thread_schedule_as_usual(void);

// Begins turns of the current thread, whose time is kept apart from that of the rest of the process.
void thread_begin_turns(void);

// Ends a turn; may be called in a signal handler.
//
// Returns for how many turns the thread should rest: 0, for a moment, if the rest of the process lately left at least
// three quarters of a processor for each thread in turns.
double thread_end_turn(int processors);

// Ends the last turn of the current thread.
void thread_end_turns(void);
