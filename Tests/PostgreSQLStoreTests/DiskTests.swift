import Attribution
import AttributionSigning
import AttributionStore
import Foundation
import PostgreSQLStore
import TestSupport
import Testing

@Suite("A full disk under the database", .serialized)
struct DiskTests {
    /// A file system of some megabytes, in which a server may keep a database.
    private final class SmallDisk {
        let path = NSTemporaryDirectory() + "skan-disk-\(UUID().uuidString.prefix(8))"

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try run("/bin/mount", "-t", "tmpfs", "-o", "size=40m,mode=777", "tmpfs", path)
            try FileManager.default.createDirectory(atPath: path + "/tables", withIntermediateDirectories: true)
            try run("/bin/chown", "postgres", path + "/tables")
        }

        deinit {
            try? run("/bin/umount", "--lazy", path)
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Takes all room that is left.
        func fill() throws {
            let filler = try #require(fopen(path + "/filler", "w"))
            let zeroes = [UInt8](repeating: 0, count: 65_536)
            while fwrite(zeroes, 1, zeroes.count, filler) == zeroes.count {}
            fclose(filler)
        }

        func makeRoom() throws {
            try FileManager.default.removeItem(atPath: path + "/filler")
        }

        private func run(_ program: String, _ arguments: String...) throws {
            let process = try ChildProcess.run(URL(fileURLWithPath: program), arguments: arguments)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " "))")
        }
    }

    @Test(
        "Nothing is acknowledged while the disk is full, and recording goes on by itself afterwards",
        .enabled(if: getuid() == 0, "only root may mount the small file system that this fills"))
    func full() async throws {
        let disk = try SmallDisk()
        let server = try PostgreSQLServer()
        try server.sql("CREATE TABLESPACE small LOCATION '\(disk.path)/tables'", database: "postgres")
        try server.sql("CREATE DATABASE full_disk TEMPLATE template0 TABLESPACE small", database: "postgres")
        let node = try PostgreSQLLedgerWriter(PostgreSQLAddress(server.address("full_disk")))
        let database = try TestDatabase()
        #expect(try node.record([database.delivery(id: "before")]) == [.recorded(.test)])
        try disk.fill()
        var acknowledged = 1
        var refused: [Delivery] = []
        var problem: StoreError?
        for batch in 0..<1_000 where problem == nil {
            let deliveries = try (0..<50).map { try database.delivery(id: "\(batch)-\($0)") }
            do {
                acknowledged += try node.record(deliveries).count { $0 == .recorded(.test) }
            } catch let error as StoreError {
                (problem, refused) = (error, deliveries)
            }
        }
        #expect(problem == .failed(path: node.name, .diskFull))
        #expect(node.health.reason?.contains("the disk is full") == true)
        #expect(throws: StoreError.self) { try node.record(refused) }
        try disk.makeRoom()
        node.heartbeat()
        #expect(node.health == .ready)
        acknowledged += try node.record(refused).count { $0 == .recorded(.test) }
        let counted = try server.sql("SELECT count(*) FROM skan.postback", database: "full_disk")
        #expect(counted == "\(acknowledged)")
        try node.close()
        let reader = PostgreSQLLedgerReader(try PostgreSQLAddress(server.address("full_disk")))
        let verifier = database.verifier
        #expect(try await reader.recount { verifier.judge($0) }.differences.map(\.description) == [])
        reader.close()
        server.stop()
    }
}
