package import AttributionStore
import CPostgreSQL

/// Where a store in PostgreSQL is, and how it is reached.
///
/// An address is a URI as libpq reads it: several hosts, `target_session_attrs`, TLS options and time-outs are passed
/// on. A password comes from a file (`passfile=`, `PGPASSFILE`, `~/.pgpass`) or from `PGPASSWORD`, never from the address,
/// which everybody on the machine can see in the list of processes.
package struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// What libpq is told, option by option.
    let options: [(keyword: String, value: String)]
    /// Servers and database, without anything secret.
    package let description: String

    /// What is set unless the address says otherwise: only a server that takes writes will do, and one that went silent
    /// is given up before a device's patience ends.
    private static let defaults = [
        "target_session_attrs": "read-write", "connect_timeout": "5", "tcp_user_timeout": "10000",
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        "fallback_application_name": "skan", "client_encoding": "UTF8",
    ]

    /// Whether the server's certificate is verified.
    var verifiesServer: Bool {
        options.contains { $0.keyword == "sslmode" && $0.value.hasPrefix("verify-") }
    }

    /// Whether a text is the address of a store in PostgreSQL, and not the path of a file.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    package init(_ text: String, overriding: [String: String] = [:]) throws(StoreError) {
        if let problem = cpq_load() {
            throw .noClientLibrary(reason: String(cString: problem))
        }
        var given = try Self.parse(text)
        guard given["password"] == nil else {
            throw .badAddress(
                Self.describe(given),
                reason: "holds a password, which the list of processes shows")
        }
        description = Self.describe(given)
        given.merge(overriding) { $1 }
        given.merge(Self.defaults) { given, _ in given }
        options = given.map { ($0.key, $0.value) }.sorted { $0.keyword < $1.keyword }
    }

    private static func parse(_ text: String) throws(StoreError) -> [String: String] {
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = cpq_conninfoParse(text, &problem) else {
            // libpq quotes the part it does not understand, which may be a password.
            cpq_freemem(problem)
            throw .badAddress("postgresql://…", reason: "is no address that libpq can read")
        }
        defer { cpq_conninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                given[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return given
    }

    private static func describe(_ given: [String: String]) -> String {
        let hosts = (given["host"] ?? given["hostaddr"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (given["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let servers = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return port.isEmpty ? String(host) : "\(host):\(port)"
        }
        return "postgresql://" + servers.joined(separator: ",") + "/" + (given["dbname"] ?? "")
    }
}
