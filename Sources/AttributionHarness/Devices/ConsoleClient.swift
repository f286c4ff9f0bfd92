import AttributionListener

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

    /// The report on test postbacks as JSON.
    ///
    /// - Parameter by: Comma-separated names of dimensions.
    /// - Returns: The bytes of the JSON object.
    /// - Throws: ``ConsoleError`` for any answer other than 200, or none.
    package func testReport(by: String) async throws -> [UInt8] {
        let url = url + "/v1/report?format=json&provenance=test&by=\(by)"
        let answer: HTTPClient.Answer
        do {
            answer = try await send(HTTPClient.Request(url: url, token: token), keeping: 256 << 20)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ConsoleError(url: url, status: nil, redirect: nil, reason: DeliveryClient.reason(error))
        }
        guard answer.status == 200 else {
            throw ConsoleError(url: url, status: answer.status, redirect: answer.redirect)
        }
        do {
            return try answer.wholeBody()
        } catch {
            throw ConsoleError(url: url, status: nil, redirect: nil, reason: DeliveryClient.reason(error))
        }
    }

    private func send(_ request: HTTPClient.Request, keeping length: Int) async throws -> HTTPClient.Answer {
        // A long report may take its time over a slow line, as long as it keeps coming.
        try await HTTPClient.shared.send(request, keeping: length, within: .seconds(30), pausing: .seconds(30))
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
        let request = try HTTPClient.Request(url: url + path, json: .whole(Array(json.utf8)), token: token)
        let answer = try await send(request, keeping: 1 << 20)
        return (answer.status, try answer.wholeBody())
    }
}
