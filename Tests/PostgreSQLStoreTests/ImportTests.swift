import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import PostgreSQLStore
import Testing

@Suite("Importing into PostgreSQL", .serialized)
struct ImportTests {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func file(_ records: Int64) -> ImportedFile {
        ImportedFile(digest: Array(repeating: 7, count: 32), bytes: 1_000, records: records)
    }

    @Test("What is imported twice changes nothing, and how far a file was read is kept")
    func twice() async throws {
        let node = try database.node()
        let copies = try database.contradiction(id: "a")
        let deliveries = try [copies[0], copies[1], database.delivery(id: "b"), database.delivery(id: "b")]
        let first: [ImportedDelivery] = [
            .made(.recorded(.test)), .made(.conflict(.test)), .made(.recorded(.test)), .known,
        ]
        #expect(try node.record(deliveries, importing: file(4)) == first)
        #expect(try node.importedFiles(upTo: 1_000) == [file(4)])
        #expect(try node.importedFiles(upTo: 999).isEmpty)
        let again = try node.record([deliveries[0], deliveries[2]], importing: file(6))
        #expect(again == [.known, .known])
        #expect(try node.importedFiles(upTo: 1_000) == [file(6)])
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 2 && counts.deliveries.received == 3)
        #expect(try await database.differences() == [])
    }

    @Test("A claimed id never counts, at any node, in whatever case it comes; one recorded before goes on counting")
    func claimed() async throws {
        let nodes = try [database.node(), database.node()]
        #expect(try nodes[0].record([database.delivery(id: "Before")]) == [.recorded(.test)])
        let ids = ["before", "MINE", "other"].map {
            KnownID(network: "N.skadnetwork", transaction: $0, sequenceIndex: 0)
        }
        #expect(try nodes[1].claim(ids) == 3)
        #expect(try nodes[0].claim(ids) == 0)
        for node in nodes {
            #expect(try node.record([database.delivery(id: "mine")]) == [.duplicate(.test)])
        }
        let mixed = try [database.delivery(id: "new"), database.delivery(id: "mine"), database.delivery(id: "Before")]
        #expect(try nodes[0].record(mixed) == [.recorded(.test), .duplicate(.test), .duplicate(.test)])
        let counts = try await database.counts()
        #expect(counts.totals[.postbacks] == 2 && counts.deliveries.count(.duplicate, .test) == 4)
        #expect(try await database.differences() == [])
    }
}
