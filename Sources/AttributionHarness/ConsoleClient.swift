import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Reads reports from a server's console.
public struct ConsoleClient: Sendable {
    private let url: String

    /// Makes a client.
    ///
    /// - Parameter url: Where the console listens, for example `http://127.0.0.1:8081`.
    public init(url: String) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// The report on test postbacks as JSON.
    ///
    /// - Parameter by: Names of dimensions apart by commas.
    /// - Returns: The bytes of the JSON object.
    /// - Throws: ``ConsoleError`` for an answer other than 200, and what the connection reports.
    public func testReport(by: String) async throws -> [UInt8] {
        let request = HTTPClientRequest(url: "\(url)/v1/report?format=json&provenance=test&by=\(by)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 256 << 20)
        guard response.status == .ok else {
            throw ConsoleError(url: request.url, status: Int(response.status.code))
        }
        return Array(body.readableBytesView)
    }
}
