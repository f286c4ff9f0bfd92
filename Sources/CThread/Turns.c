#include "CThread.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

// All times are in nanoseconds.

static _Thread_local bool takes_turns;
// How much of the current thread's time is in time_in_turns.
static _Thread_local int64_t time_counted;
// What threads used of the processors in turns that have ended.
static _Atomic int64_t time_in_turns;
static atomic_int threads_in_turns;

// The span over which the rest of the process is measured begins with the last measurement, however long ago.
static _Atomic int64_t span_begin, process_at_begin, turns_at_begin;
// How many thousandths of a processor the rest of the process used.
static _Atomic int64_t used_by_rest;

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void count_turn(void) {
    int64_t own = now(CLOCK_THREAD_CPUTIME_ID);
    atomic_fetch_add(&time_in_turns, own - time_counted);
    time_counted = own;
}

// A thread that is interrupted in between for as long as a span makes this measurement and the next one wrong.
static void measure_rest(void) {
    int64_t end = now(CLOCK_MONOTONIC), begin = atomic_load(&span_begin);
    if (end - begin < 20000000 || !atomic_compare_exchange_strong(&span_begin, &begin, end)) {
        return;
    }
    int64_t process = now(CLOCK_PROCESS_CPUTIME_ID), turns = atomic_load(&time_in_turns);
    int64_t rest = (process - atomic_exchange(&process_at_begin, process))
        - (turns - atomic_exchange(&turns_at_begin, turns));
    atomic_store(&used_by_rest, (int64_t)((double)rest / (end - begin) * 1000));
}

void thread_begin_turns(void) {
    time_counted = now(CLOCK_THREAD_CPUTIME_ID);
    atomic_fetch_add(&threads_in_turns, 1);
    takes_turns = true;
}

double thread_end_turn(int processors) {
    // Somebody else may send the signal, to any thread.
    if (!takes_turns) {
        return 0;
    }
    count_turn();
    measure_rest();
    double left = (processors - atomic_load(&used_by_rest) / 1000.0) / atomic_load(&threads_in_turns);
    if (left >= 0.75) {
        return 0;
    }
    // Half of it, but never less than an eighth of a processor.
    double share = left / 2;
    return 1 / (share > 0.125 ? share : 0.125) - 1;
}

void thread_end_turns(void) {
    takes_turns = false;
    count_turn();
    atomic_fetch_sub(&threads_in_turns, 1);
}
