import AttributionListener
import FoundationEssentials
import Glibc
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

/// Holds what a request costs the event loop against what a device's own costs; in processor time of one thread, so
/// that whatever runs beside it changes little.
@Suite("Requests made to be expensive", .serialized, .timeLimit(.minutes(5)))
struct HostileRequestTests {
    /// A hostile request may cost so many times what a plain one does.
    private static let bound = 10.0

    /// Fresh connections to a listener behind a trusted proxy.
    private static func connections(_ count: Int) throws -> [EmbeddedChannel] {
        let ingress = Ingress(
            address: .port(host: "127.0.0.1", port: 0), routes: Post.routes,
            trustedProxies: try TrustedProxies(["10.0.0.0/8", "fd00::/8"]), logger: .silent,
            now: { Date(timeIntervalSince1970: 1_700_000_000) },
            makeHandler: { _ in
                .callback { _, answer in answer(IngressAnswer(status: 200, body: Array(#"{"status":"recorded"}"#.utf8)))
                }
            })
        let loop = EmbeddedEventLoop()
        let channels = (0..<count).map { _ in EmbeddedChannel(loop: loop) }
        let peer = try #require(InternetAddress("10.0.0.1"))
        try ingress.serve(channels, peer: peer)
        return channels
    }

    /// The processor time this thread has used, in nanoseconds.
    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// What one request costs at least, in nanoseconds, and the status it is answered with.
    private static func cost(_ request: String) throws -> (nanoseconds: Double, status: Int) {
        // As the socket brings them: at most 16 KiB at a time.
        let bytes = Array(request.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: 16_384).map {
            ByteBuffer(bytes: bytes[$0..<min(bytes.count, $0 + 16_384)])
        }
        var cheapest = Double.infinity
        var status = 0
        for _ in 0..<5 {
            let channels = try connections(40)
            let start = processorTime()
            for channel in channels {
                for piece in pieces { try channel.writeInbound(piece) }
            }
            cheapest = min(cheapest, Double(processorTime() - start) / Double(channels.count))
            var answer = ""
            while let part = try channels[0].readOutbound(as: ByteBuffer.self) { answer += String(buffer: part) }
            let interim = "HTTP/1.1 100 Continue\r\n\r\n"
            if answer.hasPrefix(interim) { answer.removeFirst(interim.count) }
            status = Int(answer.dropFirst(9).prefix(3)) ?? 0
            for channel in channels { _ = try? channel.finish(acceptAlreadyClosed: true) }
        }
        return (cheapest, status)
    }

    @Test("No request costs ten times what a plain one does", arguments: HostileRequest.all)
    func ratio(request: HostileRequest) throws {
        var ratio = Double.infinity
        // What runs beside it empties the caches of this thread now and then; three times in a row it does not.
        for _ in 0..<3 where ratio >= Self.bound {
            let plain = try Self.cost(HostileRequest.plain)
            let hostile = try Self.cost(request.bytes)
            try #require(plain.status == 200)
            try #require(hostile.status == request.status)
            ratio = hostile.nanoseconds / plain.nanoseconds
            print("\(request.testDescription): \(Int(hostile.nanoseconds)) ns, \((ratio * 10).rounded() / 10) times")
        }
        #expect(ratio < Self.bound)
    }
}
