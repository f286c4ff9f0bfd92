import Foundation
import Synchronization

/// Issues web ads through `skan web-ad issue`, which has the running server store them.
final class WebAdIssuer: Sendable {
    /// One at a time: the program's output goes to one file.
    private let issuing: Mutex<[String]>
    private let workspace: Workspace

    init(skan: String, store: String, in workspace: Workspace) {
        issuing = Mutex([
            skan, "web-ad", "issue", "--store", store, "--network", PostbackShape.network, "--advertised-app",
            "525463029", "--source-identifier", "3120", "--destination", "https://network.example", "--source-domain",
            TapMaker.domain,
        ])
        self.workspace = workspace
    }

    /// The nonces of new ads, as links have them.
    func issue(_ count: Int) throws -> [String] {
        try issuing.withLock { command in
            let links = try ChildProcess.output(of: command + ["--count", "\(count)"], in: workspace)
            let nonces = try links.split(separator: "\n").map { line in
                try JSONDecoder().decode(Link.self, from: Data(line.utf8)).attributionSourceNonce
            }
            guard nonces.count == count else {
                throw BenchmarkFailure("expected \(count) links of web ads, found \(nonces.count)")
            }
            return nonces
        }
    }

    private struct Link: Decodable {
        let attributionSourceNonce: String
    }
}

/// Taps on web ads, one of each.
struct TapMaker: RequestMaker {
    static let domain = "example.com"

    private var nonces: ArraySlice<String>

    init(nonces: [String]) {
        self.nonces = nonces[...]
    }

    mutating func nextBody() throws -> [UInt8] {
        guard let nonce = nonces.popFirst() else {
            throw BenchmarkFailure("more taps than web ads")
        }
        return Array(
            """
            {"version":"4.0","source_engagement_type":"click_to_App_Store","source_domain":"\(Self.domain)",\
            "source_nonce":"\(nonce)"}
            """.utf8)
    }
}
