import NIOCore
import Synchronization

/// The open connections: counted in all and for each address, and reached when the server stops.
final class IngressConnections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var countByAddress: [String: Int] = [:]
        var isStopping = false
    }

    private let limits: IngressLimits
    private let state = Mutex(State())

    init(limits: IngressLimits) {
        self.limits = limits
    }

    /// Takes a connection in, or refuses it because a limit is reached or the server is stopping.
    func admit(_ channel: any Channel) -> Bool {
        let address = channel.remoteAddress?.ipAddress ?? ""
        return state.withLock { state in
            guard !state.isStopping, state.open.count < limits.connections,
                state.countByAddress[address, default: 0] < limits.connectionsPerAddress
            else {
                return false
            }
            state.open[ObjectIdentifier(channel)] = channel
            state.countByAddress[address, default: 0] += 1
            return true
        }
    }

    /// Forgets a connection that was admitted and is closed.
    func remove(_ channel: any Channel, address: String) {
        state.withLock { state in
            guard state.open.removeValue(forKey: ObjectIdentifier(channel)) != nil else {
                return
            }
            let rest = state.countByAddress[address, default: 1] - 1
            state.countByAddress[address] = rest == 0 ? nil : rest
        }
    }

    /// Refuses new connections, and tells the open ones that the server stops.
    func stop() -> [any Channel] {
        let channels = state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(IngressStopping())
        }
        return channels
    }
}

/// Tells a connection that the server stops: what was accepted is answered, nothing more is read.
struct IngressStopping: Sendable {}
