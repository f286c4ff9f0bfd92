import AttributionStore
import CPostgreSQL

/// Why a statement failed.
struct PostgreSQLFault: Error {
    /// The code of the SQL standard and of PostgreSQL; empty when the connection broke.
    let sqlState: String
    /// The server's words, or libpq's.
    let message: String

    /// Takes what a connection or a result reports.
    init(sqlState: String?, message: String?) {
        self.sqlState = sqlState ?? ""
        // One line, for logs.
        self.message = (message ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether the connection is of no more use.
    var isConnectionLost: Bool {
        sqlState.isEmpty || sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05"].contains(sqlState)
    }

    /// What it means for a person.
    var storeFault: StoreFault {
        switch sqlState {
        case "53100": .diskFull
        case "55P03", "40P01", "40001": .locked
        // A standby, or a primary that was made read-only.
        case "25006": .noPrimary(reason: message)
        case "42501", "28000", "28P01": .notAllowed(message)
        case "42P01": .missingTable(message)
        case "XX001", "XX002": .damaged
        case _ where isConnectionLost: .connectionLost
        default: .server(state: sqlState, message: message)
        }
    }

    /// SQLSTATEs that the store itself looks at.
    static let canceled = "57014"
    static let notAllowed = "42501"
}

/// No connection could be made.
struct NoConnection: Error {
    /// libpq's words.
    let reason: String
    /// Whether the server's certificate was to be verified.
    var isVerified = false
}

extension StoreError {
    /// Turns what PostgreSQL reports into what a person can read; other errors stay as they are.
    static func translating<Result>(_ address: PostgreSQLAddress, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            throw translated(error, address)
        }
    }

    /// The error a person can read.
    static func translated(_ error: any Error, _ address: PostgreSQLAddress) -> any Error {
        switch error {
        case let fault as PostgreSQLFault: failed(path: address.description, fault.storeFault)
        case let problem as NoConnection:
            failed(path: address.description, .noPrimary(reason: problem.reason, isVerified: problem.isVerified))
        case is LostCommit: failed(path: address.description, .commitUnknown)
        case is NotReplicated: failed(path: address.description, .notReplicated)
        // Codes are looked up anew once; the second time the table of values contradicts itself.
        case is DamagedValue, is StaleCodes: failed(path: address.description, .damaged)
        default: error
        }
    }
}
