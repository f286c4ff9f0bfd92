package import Attribution
import AttributionListener

/// Reads reports from a server's console.
package struct ConsoleClient: Sendable {
    private let url: String
    private let token: String?

    /// Makes a client of a console such as `http://127.0.0.1:8081`; `token` is nil for one without tokens.
    package init(url: String, token: String? = nil) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.token = token
    }

    /// The report on test postbacks as JSON.
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
    package func post(_ path: String, json: String) async throws -> (status: Int, body: [UInt8]) {
        let request = try HTTPClient.Request(url: url + path, json: .whole(Array(json.utf8)), token: token)
        let answer = try await send(request, keeping: 1 << 20)
        return (answer.status, try answer.wholeBody())
    }
}

/// A console that did not answer with a report.
package struct ConsoleError: CodedError {
    let url: String
    /// The status of the answer; nil if there was none.
    let status: Int?
    /// Where a redirect leads; nil for any other answer.
    let redirect: String?
    /// Why there was no answer; nil if there was one.
    var reason: String?

    package var code: ErrorCode { .unanswered }

    package var message: String {
        guard let status else {
            return "no answer from \(url)" + (reason.map { ": \($0)" } ?? "")
        }
        return "\(url) answered \(status), expected 200" + (redirect.map { ": it redirects to \($0)" } ?? "")
    }

    package var hint: String? {
        if redirect != nil {
            return "redirects are not followed: name the console by the address it redirects to, without /v1/report"
        }
        return status == 401 ? "set SKAN_TOKEN to a token with the scope report" : "check the address of the console"
    }
}

extension ConsoleError: CustomStringConvertible {
    package var description: String { message }
}
