import Foundation

/// The network's key of a run, made by `skan keys generate` and listed for `skan serve`.
struct NetworkKey {
    /// Private key in PEM.
    let pem: String
    /// The file of the list with the key.
    let list: String
    /// The options with which the server signs with it.
    let options: [String]

    init(skan: String, in workspace: Workspace) throws {
        let file = workspace.file("network.pem")
        list = workspace.file("keys.json")
        // Another part of the run may have made it.
        if !FileManager.default.fileExists(atPath: file) {
            _ = try ChildProcess.output(of: [skan, "keys", "generate", file], in: workspace)
        }
        try """
        {"keys": [{"ad-network-id": "\(PostbackShape.network)", "file": "network.pem", "versions": "2.1-4.0",
                   "use": "active"}]}
        """.write(toFile: list, atomically: false, encoding: .utf8)
        pem = try String(contentsOfFile: file, encoding: .utf8)
        options = ["--signing-keys", list, "--signing", "127.0.0.1:0"]
    }
}
