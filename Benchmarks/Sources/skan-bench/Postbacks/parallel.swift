import Dispatch
import Synchronization

/// Does the same work `count` times, on all cores.
func parallel<Piece: Sendable>(_ count: Int, _ work: @Sendable () throws -> Piece) throws -> [Piece] {
    let result = Mutex<(pieces: [Piece], error: (any Error)?)>(([], nil))
    DispatchQueue.concurrentPerform(iterations: count) { _ in
        do {
            let piece = try work()
            result.withLock { $0.pieces.append(piece) }
        } catch {
            result.withLock { $0.error = error }
        }
    }
    return try result.withLock { result in
        if let error = result.error {
            throw error
        }
        return result.pieces
    }
}
