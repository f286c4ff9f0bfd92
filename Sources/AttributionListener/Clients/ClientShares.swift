import CodedErrors
import Synchronization

/// Bounds how many requests of one client behind trusted proxies are with their routes at one time.
///
/// Direct clients are bounded by their connections, each of which has one such request. The connections of a proxy are
/// not told apart by client: without this bound one client could have as many requests wait as there are connections.
final class ClientShares: Sendable {
    /// Whose share a request takes up: a client's network, or whoever proxies did not name.
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
    /// - Parameter holder: Whose it is.
    /// - Returns: `false` when the holder has its whole share.
    func take(_ holder: Holder) -> Bool {
        taken.withLock { taken in
            let count = taken[holder, default: 0]
            guard count < limit else { return false }
            taken[holder] = count + 1
            return true
        }
    }

    /// Counts one request less.
    func giveBack(_ holder: Holder) {
        taken.withLock { taken in
            guard let count = taken[holder] else { return }
            taken[holder] = count > 1 ? count - 1 : nil
        }
    }

    /// Why a request beyond the share is refused; the code is that of a full queue, for the cure is the same.
    static let refusal = Refusal(
        .overloaded, "too many requests of this client wait to be recorded", hint: "send it again")
}
