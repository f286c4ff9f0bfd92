import AttributionListener
import Foundation
import Testing

/// Holds the ingress' own framing against NIOHTTP1's decoder, which others keep and attack.
@Suite("Framing, against NIO's decoder")
struct FramingFuzzTests {
    /// Connections to compare; `SKAN_FUZZ_CASES` sets another number.
    private static let caseCount =
        ProcessInfo.processInfo.environment["SKAN_FUZZ_CASES"].flatMap { Int($0) } ?? 30_000

    /// `SKAN_FUZZ_SEED` repeats a run or starts another.
    private static let seed =
        ProcessInfo.processInfo.environment["SKAN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260_102

    /// Where ours refuses and NIO need not.
    ///
    /// - `method`: CONNECT, and methods of other protocols that NIO knows.
    /// - `target`: a fragment, `*` with more behind it, an authority or scheme that is not of http.
    /// - `version`: more than one space between target and version.
    /// - `lineEnd`: single carriage returns and line feeds before a request line, which NIO skips.
    /// - `chunkExtension`: quoted strings and empty names or values.
    /// - `trailer`: Host and Transfer-Encoding behind the body.
    private static let stricter: Set<IngressFault> = [.method, .target, .version, .lineEnd, .chunkExtension, .trailer]

    @Test("Our framing and NIO accept and refuse the same requests, except for the differences listed")
    func agreesWithNIO() {
        var source = RequestBytes(seed: Self.seed)
        var failures: [String] = []
        var (accepted, refused) = (0, 0)
        for _ in 0..<Self.caseCount where failures.count < 10 {
            let bytes = source.next()
            let pieces = source.pieces(of: bytes)
            let own = FramedRequests(ownFramingOf: pieces)
            let whole = FramedRequests(ownFramingOf: [bytes])
            let nio = FramedRequests(decodedByNIO: pieces)
            accepted += own.requests.count
            refused += own.isRefused ? 1 : 0
            if nio.isRefused, Self.hasTabInFramingField(bytes) { continue }
            if let difference = Self.difference(own, whole, nio) {
                failures.append("\(difference): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
        }
        #expect(failures == [])
        // Both kinds must be there, or nothing was compared.
        #expect(accepted > Self.caseCount / 4)
        #expect(refused > Self.caseCount / 4)
    }

    /// The one difference in the other direction: NIO refuses a tab behind a length or a coding, where RFC 9110 allows
    /// white space.
    private static func hasTabInFramingField(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            let text = String(decoding: line, as: UTF8.self).lowercased()
            return text.contains("\t") && (text.contains("transfer-encoding:") || text.contains("content-length:"))
        }
    }

    private static func difference(_ own: FramedRequests, _ whole: FramedRequests, _ nio: FramedRequests) -> String? {
        guard own.requests == whole.requests, own.isRefused == whole.isRefused else {
            return "the borders of reads matter"
        }
        guard nio.requests.starts(with: own.requests) else {
            return "NIO takes \(nio.requests), ours takes \(own.requests)"
        }
        guard own.isRefused else { return nil }
        switch own.refusal {
        case .malformedRequest(let reason):
            guard let fault = IngressFault(rawValue: reason) else { return "an unknown fault: \(reason)" }
            guard !stricter.contains(fault), nio.requests.count > own.requests.count else { return nil }
            return "NIO takes one more than ours, which finds \(reason)"
        case nil:
            return "refused for no reason"
        default:
            // Sound HTTP that the ingress does not serve.
            return nil
        }
    }
}
