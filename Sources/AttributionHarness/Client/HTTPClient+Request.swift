import Foundation
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// Scheme, host and port of a server.
    struct Origin: Hashable, Sendable {
        let isSecure: Bool
        /// The name, or the address without brackets.
        let host: String
        let port: Int
    }

    /// A GET request, or a POST request with a JSON body.
    package struct Request: Sendable {
        /// What is posted.
        package enum Body: Sendable {
            /// Sent at once.
            case whole([UInt8])
            /// Sent in pieces, while the answer is awaited.
            case slow(SlowBody)

            fileprivate var count: Int {
                switch self {
                case .whole(let bytes): bytes.count
                case .slow(let body): body.count
                }
            }
        }

        let origin: Origin
        let head: HTTPRequestHead
        /// Nil for a GET request.
        let body: Body?

        /// Makes a request.
        ///
        /// - Parameters:
        ///   - url: Where.
        ///   - json: What is posted; nil for a GET request.
        ///   - token: The bearer token; nil for none.
        /// - Throws: ``HTTPClient/Failure/invalidURL``.
        package init(url: String, json: Body? = nil, token: String? = nil) throws(Failure) {
            let secure = ["http": false, "https": true]
            guard let parts = URLComponents(string: url), let isSecure = secure[parts.scheme?.lowercased() ?? ""],
                let host = parts.encodedHost, !host.isEmpty
            else {
                throw .invalidURL
            }
            let usualPort = isSecure ? 443 : 80
            guard let port = UInt16(exactly: parts.port ?? usualPort) else {
                throw .invalidURL
            }
            // An address of IPv6 has brackets in a URL, and nowhere else.
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            origin = Origin(
                isSecure: isSecure, host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: Int(port))
            var fields = HTTPHeaders([("Host", port == usualPort ? host : "\(host):\(port)")])
            if let token {
                fields.add(name: "Authorization", value: "Bearer \(token)")
            }
            if let json {
                fields.add(name: "Content-Type", value: "application/json")
                fields.add(name: "Content-Length", value: String(json.count))
            }
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            head = HTTPRequestHead(
                version: .http1_1, method: json == nil ? .GET : .POST,
                uri: path + (parts.percentEncodedQuery.map { "?" + $0 } ?? ""), headers: fields)
            body = json
        }
    }
}
