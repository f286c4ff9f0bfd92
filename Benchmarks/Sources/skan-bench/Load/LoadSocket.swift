import CLinux
import Glibc

/// The client's end of one TCP connection to this machine; never waits.
struct LoadSocket {
    let descriptor: Int32

    /// Begins to connect to a port of 127.0.0.1, and watches the socket for a place.
    ///
    /// - Parameters:
    ///   - port: The server's.
    ///   - source: Which of the addresses 127.0.0.1, 127.0.0.2, … to come from, as from different networks.
    ///   - epoll: The set that reports its events.
    ///   - place: What the events are reported with.
    init?(to port: UInt16, from source: Int, watchedBy epoll: Int32, place: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            return nil
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        // Edge-triggered and set once: with one request under way, an answer is read to its end at each edge.
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        event.data.u64 = UInt64(place)
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0,
            call(bind, host: UInt32(source), port: 0) == 0,
            call(connect, host: 0, port: port) == 0 || errno == EINPROGRESS
        else {
            close()
            return nil
        }
    }

    /// Calls `bind` or `connect` with an address that many after 127.0.0.1.
    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, host: UInt32, port: UInt16
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7f00_0001 + host).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Whether connecting succeeded, once the socket has had an event.
    var isConnected: Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0
    }

    /// How the system sees the connection, for messages.
    var stateText: String {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size)
        return "TCP state \(info.tcpi_state), retransmissions \(info.tcpi_total_retrans)"
    }

    /// Whether the other side has not taken what was sent last.
    var isUnacknowledged: Bool {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0
    }

    /// Sends a request; false when it did not fit, for it is far smaller than an empty socket buffer.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads what has come: 0 when nothing has, nil when the connection has ended.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int? {
        let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        return count > 0 ? count : count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : nil
    }

    func close() {
        Glibc.close(descriptor)
    }
}
