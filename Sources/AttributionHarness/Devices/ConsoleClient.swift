import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Reads reports from a server's console.
package struct ConsoleClient: Sendable {
    private let url: String
    private let token: String?

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - url: Where the console listens, for example `http://127.0.0.1:8081`.
    ///   - token: The bearer token; nil for a console without tokens.
    package init(url: String, token: String? = nil) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.token = token
    }

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url + path)
        if let token {
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        return request
    }

    /// The report on test postbacks as JSON.
    ///
    /// - Parameter by: Comma-separated names of dimensions.
    /// - Returns: The bytes of the JSON object.
    /// - Throws: ``ConsoleError`` for any answer other than 200, or none.
    package func testReport(by: String) async throws -> [UInt8] {
        let request = request("/v1/report?format=json&provenance=test&by=\(by)")
        let (status, body): (HTTPResponseStatus, ByteBuffer)
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            (status, body) = (response.status, try await response.body.collect(upTo: 256 << 20))
        } catch {
            throw ConsoleError(url: request.url, status: nil)
        }
        guard status == .ok else {
            throw ConsoleError(url: request.url, status: Int(status.code))
        }
        return Array(body.readableBytesView)
    }
}

extension ConsoleClient {
    /// Requests signatures.
    ///
    /// - Parameters:
    ///   - path: The route, for example `/v1/openrtb/skadn`.
    ///   - json: The JSON object to send.
    /// - Returns: The HTTP status and the body of the answer.
    /// - Throws: An error of the connection.
    package func post(_ path: String, json: String) async throws -> (status: Int, body: [UInt8]) {
        var request = request(path)
        request.post(json: ByteBuffer(string: json))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        return (Int(response.status.code), Array(body.readableBytesView))
    }
}
