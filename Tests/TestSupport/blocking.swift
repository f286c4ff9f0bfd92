import Foundation

/// Runs blocking code on a thread of its own, so that no task waits for a socket.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
    }
}
