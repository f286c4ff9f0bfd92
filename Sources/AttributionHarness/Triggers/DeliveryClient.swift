import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Posts single deliveries as a device does.
package struct DeliveryClient: Sendable {
    /// What a server answered.
    package struct Answer: Sendable {
        /// The HTTP status.
        package let status: Int
        /// The beginning of the body.
        package let body: [UInt8]
        /// The fields of the head, with names as they came.
        package let fields: [(name: String, value: String)]

        /// The first value of a field, whose name is compared without letter case.
        package func field(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name }?.value
        }
    }

    private static let longestAnswer = 64 << 10

    /// Makes a client.
    package init() {}

    /// Posts a body; redirects are followed by nobody, for devices may not follow them.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - url: Where.
    ///   - limit: How long all of it may take, for a server may send a byte now and then.
    /// - Returns: The answer, whatever it is.
    /// - Throws: What the connection reports, and `HTTPClientError.deadlineExceeded`.
    package func post(_ body: [UInt8], to url: String, within limit: Duration = .seconds(15)) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await Self.exchange(body, url, within: limit) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPClientError.deadlineExceeded
            }
            for try await answer in group {
                return answer
            }
            throw CancellationError()
        }
    }

    private static func exchange(_ body: [UInt8], _ url: String, within limit: Duration) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.post(json: ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: TimeAmount(limit))
        let fields = response.headers.map { (name: $0.name, value: $0.value) }
        // Only its beginning matters, and a stranger may send without end.
        var answer: [UInt8] = []
        for try await buffer in response.body {
            answer += buffer.readableBytesView
            if answer.count > longestAnswer {
                break
            }
        }
        return Answer(status: Int(response.status.code), body: answer, fields: fields)
    }

    /// For the life of the process, as the client that everybody shares.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(15))
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Why nothing was answered, for a person.
    ///
    /// - Parameter error: What ``post(_:to:)`` threw.
    /// - Returns: The reason.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed:
            return "this machine does not trust its certificate, or they have no version of TLS in common"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "its certificate is for another name"
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            return "it was too slow to answer"
        default:
            break
        }
        if let failure = error as? IOError {
            return String(cString: strerror(failure.errnoCode))
        }
        guard let failure = error as? NIOConnectionError else {
            return "the connection failed"
        }
        guard let first = failure.connectionErrors.first else {
            return "the name has no address"
        }
        return (first.error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "the connection failed"
    }

    /// Whether nobody was there to answer.
    ///
    /// - Parameter error: What connecting threw.
    /// - Returns: Whether there was no connection.
    package static func isUnreachable(_ error: any Error) -> Bool {
        // A name is tried at all its addresses; an address that refuses is reported by itself.
        error is NIOConnectionError || (error as? IOError)?.errnoCode == ECONNREFUSED
    }
}
