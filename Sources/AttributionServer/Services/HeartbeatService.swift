import Dispatch
import Foundation
import ServiceLifecycle

/// Does something every second, on a thread of its own because it may have to wait for the writer.
struct HeartbeatService: Service {
    private let beat: @Sendable () -> Void
    private let onStop: @Sendable () -> Void
    private let stop = DispatchSemaphore(value: 0)

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - beat: Called every second.
    ///   - onStop: Called when the server begins to stop, before anything else stops.
    init(_ beat: @escaping @Sendable () -> Void, onStop: @escaping @Sendable () -> Void) {
        self.beat = beat
        self.onStop = onStop
    }

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { ended in
                let thread = Thread {
                    while stop.wait(timeout: .now() + 1) == .timedOut {
                        beat()
                    }
                    ended.resume()
                }
                thread.name = "skan-heartbeat"
                thread.start()
            }
        } onCancelOrGracefulShutdown: {
            onStop()
            stop.signal()
        }
    }
}
