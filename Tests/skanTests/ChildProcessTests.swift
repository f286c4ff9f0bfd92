import Foundation
import Testing

@Suite("Programs that tests start")
struct ChildProcessTests {
    @Test("They have the environment of the tests, without what Tests/run.sh sets")
    func environment() throws {
        let folder = try WorkFolder()
        let outcome = try SkanProcess.run(URL(fileURLWithPath: "/usr/bin/env"), [], in: folder.url)
        let names = Set(outcome.output.split(separator: "\n").map { $0.prefix { $0 != "=" } })
        #expect(names.contains("PATH"))
        #expect(names.isDisjoint(with: ["LD_PRELOAD", "SWIFT_BACKTRACE", "_STDBUF_O"]), "\(outcome)")
    }
}
