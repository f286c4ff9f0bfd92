import CodedErrors
import Synchronization

/// Bounds how many requests of one client behind trusted proxies are being handled at one time.
///
/// Direct clients are bounded by their connections, each of which has one request in flight. A proxy's connections are
/// shared by its clients: without this bound one client could occupy all of them.
final class ClientShares: Sendable {
    /// Whose share a request counts toward: a client's network, or all clients that the proxies did not name.
    struct Holder: Hashable {
        private let network: InternetAddress?

        init(_ client: InternetAddress?) {
            network = client?.clientNetwork
        }
    }

    private let limit: Int
    private let taken = Mutex<[Holder: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one more request.
    ///
    /// - Parameter holder: Whose request it is.
    /// - Returns: `false` when the holder's share is used up.
    func take(_ holder: Holder) -> Bool {
        taken.withLock { taken in
            let count = taken[holder, default: 0]
            guard count < limit else { return false }
            taken[holder] = count + 1
            return true
        }
    }

    /// Counts one request fewer.
    func giveBack(_ holder: Holder) {
        taken.withLock { taken in
            guard let count = taken[holder] else { return }
            taken[holder] = count > 1 ? count - 1 : nil
        }
    }

    /// Why a request beyond the share is refused; the code is that of a full queue because the remedy is the same.
    static let refusal = Refusal(
        .overloaded, "too many requests from this client are waiting for their answers", hint: "send it again")
}
