import Synchronization

/// The signer in use, which can be replaced while requests are answered.
///
/// Read it once per request, so that the whole answer comes from one key list.
package final class CurrentSigner: Sendable {
    /// A key list, and how many were used before it.
    package final class Keys: Sendable {
        /// Signs with the list.
        package let signer: NetworkSigner
        /// Distinguishes it from other lists.
        package let generation: Int

        fileprivate init(signer: NetworkSigner, generation: Int) {
            self.signer = signer
            self.generation = generation
        }
    }

    private let state: Mutex<Keys>

    package init(_ signer: NetworkSigner) {
        state = Mutex(Keys(signer: signer, generation: 0))
    }

    /// The key list for a request.
    package var keys: Keys {
        state.withLock { $0 }
    }

    /// The signer for a request.
    package var signer: NetworkSigner { keys.signer }

    /// Replaces the signer, from the next request on.
    package func use(_ signer: NetworkSigner) {
        state.withLock { $0 = Keys(signer: signer, generation: $0.generation + 1) }
    }
}
