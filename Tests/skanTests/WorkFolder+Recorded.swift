import Foundation

extension WorkFolder {
    /// A folder with `skan.sqlite`, in which a server recorded some vectors.
    convenience init(recording vectors: [String]) throws {
        try self.init()
        let server = try SkanServer(in: self, arguments: [])
        for vector in vectors {
            _ = try SkanProcess.run(
                SkanProcess.curl,
                [
                    "-s", "-H", "Content-Type: application/json", "--data-binary", try CommandTests.body(vector),
                    server.url,
                ], in: url)
        }
        _ = server.end(SIGTERM)
    }
}
