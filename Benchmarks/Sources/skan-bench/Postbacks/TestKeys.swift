import Foundation

/// Keys that play Apple, made anew for each run.
struct TestKeys {
    /// Private keys in PEM.
    let p256: String
    let p192: String
    /// The options with which skan trusts them.
    let trust: [String]

    init(in workspace: Workspace) throws {
        func make(_ curve: String) throws -> (pem: String, publicFile: String) {
            let file = workspace.file("\(curve).pem")
            let publicFile = workspace.file("\(curve).public.pem")
            _ = try ChildProcess.output(
                of: ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", file],
                in: workspace)
            _ = try ChildProcess.output(
                of: ["openssl", "pkey", "-in", file, "-pubout", "-out", publicFile], in: workspace)
            return (try String(contentsOfFile: file, encoding: .utf8), publicFile)
        }
        let (p256, p256File) = try make("prime256v1")
        let (p192, p192File) = try make("prime192v1")
        self.p256 = p256
        self.p192 = p192
        trust = ["--trust-test-key", p256File, "--trust-test-key", p192File]
    }
}
