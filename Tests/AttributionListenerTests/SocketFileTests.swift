import AttributionListener
import Foundation
import Testing

@Suite("The file of a Unix socket")
struct SocketFileTests {
    /// How many bytes the names of a folder and of a socket in it have, and whether the system has room for that.
    static let lengths: [(folder: Int, name: Int, isPossible: Bool)] = [
        (10, 10, true), (200, 10, true), (200, 80, true), (10, 107, false), (10, 108, false), (10, 200, false),
        (200, 200, false),
    ]

    @Test("A name that an address has no room for is refused; that of its folder may be long", arguments: lengths)
    func length(_ folder: Int, _ name: Int, _ isPossible: Bool) throws {
        let root = NSTemporaryDirectory() + "skan-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let path = root + "/" + String(repeating: "f", count: folder) + "/" + String(repeating: "s", count: name)
        try FileManager.default.createDirectory(atPath: String(path.dropLast(name)), withIntermediateDirectories: true)
        guard !isPossible else {
            return try SocketFile.checkIsUnused(path)
        }
        let problem = #expect(throws: SocketError.self) { try SocketFile.checkIsUnused(path) }
        #expect(problem?.description == "the name of \(path) is too long for a socket")
        #expect(problem?.hint == "choose a shorter name")
    }
}
