import CThread
import Foundation
import Synchronization

/// Turns of half a millisecond on the processor, for threads whose work takes longer.
///
/// After each turn a thread sleeps for a moment, at the same time as all others that take turns. On a busy core whoever
/// wakes up may otherwise wait for the kernel's clock to tick, four or eight milliseconds. A commit may wait like this
/// at each step of its way to the disk. Yielding would not be enough: the kernel's own thread that hands the commit to
/// the disk waits as long as any thread of this process is runnable.
///
/// The sleep is longer, up to seven turns, the less the rest of the process leaves of its processors. So work in turns
/// needs no low priority, with which it would not get on where other processes, or this one, keep all processors busy.
package enum Turns {
    private static let processorCount = Atomic(Int(thread_processor_count()))

    /// How many processors the process has, for servers to correct: a container may have a quota.
    package static var processors: Int {
        get { processorCount.load(ordering: .relaxed) }
        set { processorCount.store(newValue, ordering: .relaxed) }
    }

    /// Runs work on the current thread in turns.
    ///
    /// A timer interrupts whatever the work does, also in libraries; sleeps in the work may end early. It is not an
    /// error if the system refuses a timer: there are no turns then, and others wait longer.
    ///
    /// - Parameter work: May start threads; they have no turns of their own.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    package static func take<Result>(_ work: () throws -> Result) rethrows -> Result {
        thread_begin_turns()
        let timer = TurnTimer()
        defer {
            timer?.stop()
            thread_end_turns()
        }
        return try work()
    }

    /// Sleeps for 0.3 ms, in a thread that has its share of the processor; work between two pauses should take 0.1 ms.
    package static func pause() {
        usleep(300)
    }
}

/// Sends a signal to the current thread at the end of each turn, on which it sleeps.
///
/// `SIGURG`, because the system ignores it by default, and nothing else in this process uses it.
private struct TurnTimer {
    /// The length of a turn, a whole fraction of a second: long beside the short sleep, of which the kernel makes some
    /// 60 µs, and short beside a commit.
    private static let nanoseconds = 500_000

    /// The first timer of a process has number 0, which Swift imports as nil.
    private let timer: timer_t?
    private let wasBlocked: sigset_t

    /// Sleeps, and leaves the interrupted code its error number.
    private static let handler: Void = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            let number = errno
            let rest = thread_end_turn(CInt(Turns.processors))
            var time = timespec(tv_sec: 0, tv_nsec: max(1, Int(rest * Double(TurnTimer.nanoseconds))))
            pselect(0, nil, nil, nil, &time, nil)
            // A turn that ended meanwhile does not count, or a thread that seldom gets the processor would only sleep.
            var (ended, none) = (sigset_t(), timespec())
            sigemptyset(&ended)
            sigaddset(&ended, SIGURG)
            sigtimedwait(&ended, nil, &none)
            errno = number
        }
        action.sa_flags = SA_RESTART
        sigaction(SIGURG, &action, nil)
    }()

    init?() {
        Self.handler
        // Not for the first time in the handler, which must not initialize it.
        _ = Turns.processors
        var event = sigevent()
        event.sigev_signo = SIGURG
        // SIGEV_THREAD_ID and sigev_notify_thread_id of <signal.h>, which Swift does not import.
        event.sigev_notify = 4
        event._sigev_un._tid = gettid()
        var timer: timer_t?
        guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 else {
            return nil
        }
        // Threads of the pool block all signals, and so do those that they start.
        var (wanted, before) = (sigset_t(), sigset_t())
        sigemptyset(&wanted)
        sigaddset(&wanted, SIGURG)
        pthread_sigmask(SIG_UNBLOCK, &wanted, &before)
        // The turns of all threads end at the same multiples of their length.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let end = (now.tv_nsec / Self.nanoseconds + 1) * Self.nanoseconds
        var turns = itimerspec(
            it_interval: timespec(tv_sec: 0, tv_nsec: Self.nanoseconds),
            it_value: timespec(tv_sec: now.tv_sec + end / 1_000_000_000, tv_nsec: end % 1_000_000_000))
        timer_settime(timer, CInt(TIMER_ABSTIME), &turns, nil)
        self.timer = timer
        wasBlocked = before
    }

    func stop() {
        timer_delete(timer)
        var before = wasBlocked
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
