import Dispatch
import Glibc

/// Cleans up after SIGINT and SIGTERM, for as long as it is kept.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    init(_ workspace: Workspace) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                workspace.removeAll()
                // Not `exit`: it would take OpenSSL apart under the threads that sign.
                _exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources {
            source.cancel()
        }
    }
}
