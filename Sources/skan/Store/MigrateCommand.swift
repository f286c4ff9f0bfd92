import ArgumentParser
import AttributionServer
import PostgreSQLStore

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Make the tables of a store in PostgreSQL, or bring them up to this release.",
        discussion: """
            skan serve does so itself when its role may. Nodes of the previous release keep recording meanwhile.

            EXAMPLE
              skan migrate --store postgresql://skan_owner@db1,db2/skan --check
            """
    )

    @Option(
        name: [.customLong("store"), .customShort("s")],
        help: "The store: postgresql://HOST/DATABASE (or SKAN_STORE).")
    var store: String?

    @Flag(help: "Say what would be done, and change nothing: status 1 when there is something to do.")
    var check = false

    func run() throws {
        let location = try StoreLocation(given: store)
        guard case .database(let address) = location else {
            throw CommandFailure(
                "\(location.name) is a file, whose tables its owner looks after",
                hint: "name a database: --store postgresql://HOST/DATABASE")
        }
        let outcome = check ? try SchemaMigrator.check(address) : try SchemaMigrator.migrate(address)
        switch outcome {
        case .current:
            Terminal.write("up to date\n")
        case .migrated(nil, let version):
            Terminal.write("tables \(check ? "missing" : "made"), version \(version)\n")
        case .migrated(.some(let found), let version):
            Terminal.write("tables of version \(found) \(check ? "need" : "brought to") version \(version)\n")
        case .moved:
            Terminal.write(
                "tables came from another cluster; the order of the commits \(check ? "has to go" : "goes") on here\n")
        }
        if check, outcome != .current {
            throw ExitStatus.negative
        }
    }
}
