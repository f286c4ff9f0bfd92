import Foundation
import Testing

@Suite("Standard error that cannot be written")
struct StandardErrorTests {
    let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    @Test("A command ends with its own status when its messages cannot be written", arguments: ["2>&-", "2>/dev/full"])
    func lost(_ redirection: String) throws {
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "\"$0\" keys check nosuch.pem \(redirection)", SkanProcess.binary.path],
            in: folder.url)
        #expect(outcome.status == 2)
    }

    @Test("What was made is reported as made when its messages cannot be written")
    func made() throws {
        let outcome = try SkanProcess.run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "\"$0\" keys generate key.pem 2>/dev/full", SkanProcess.binary.path],
            in: folder.url)
        #expect(outcome.status == 0)
    }
}
