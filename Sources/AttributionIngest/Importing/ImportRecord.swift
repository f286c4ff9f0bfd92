package import Attribution
import StrictJSON

/// One record of a file, taken apart.
package enum ImportRecord: Sendable {
    /// A body and when it was received; of a row of CSV also other bodies that it may be, of which one may verify.
    case delivery(
        body: [UInt8], receivedAtMilliseconds: Int64, recipient: Delivery.Recipient, others: [[UInt8]] = [])
    /// A request without a body, as there are many in a log.
    case withoutBody
    /// It cannot be used.
    case unreadable(Problem)

    /// Why a record cannot be used.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// It does not say when it was received.
        case noTime(names: [String])
        /// What it says is no time, or none that can be.
        case strangeTime(name: String, found: String)
        /// It has no body.
        case noBody(names: [String])
        /// It is not in the form of its file.
        case malformed(String)
        /// It has a carriage return that does not belong to the end of a line.
        case bareReturn
        /// Its line does not end, and what it says may be cut off.
        case unfinished

        /// What was found and what was expected.
        package var description: String {
            switch self {
            case .noTime(let names): "no time of receipt: expected \(Self.list(names))"
            case .strangeTime(let name, let found):
                "\(name): found \(found), expected a time from 2018 until now, as 2026-11-01T12:30:00Z or in Unix seconds"
            case .noBody(let names):
                "no body: expected \(Self.list(names)), or Apple's fields by their names; "
                    + "--body-field NAME says what has it, also as a path, as Records[].body"
            case .malformed(let reason): reason
            case .bareReturn:
                #"a carriage return without a newline (end each row with a newline: tr '\r' '\n' < FILE > NEW)"#
            case .unfinished:
                "the last line does not end, and may be cut off; it is left for the next import (add a newline if it is whole)"
            }
        }

        /// What to do when no record of a file can be read for it.
        var hintForFile: String {
            if case .malformed = self {
                "the first row has to be a header; leave each name once, and rename or remove the other column"
            } else {
                "--received TIME, --received-field NAME and --body-field NAME say it"
            }
        }

        private static func list(_ names: [String]) -> String {
            names.count == 1 ? names[0] : "one of " + names.joined(separator: ", ")
        }
    }
}

/// A record that cannot be used.
package struct ImportProblem: Hashable, Sendable {
    /// The line or the number of the record, from 1.
    package let number: Int
    /// What was found and what was expected.
    package let reason: String
}

/// A record as it was cut out of its file.
struct RawRecord: Sendable {
    /// The line it begins on, or its number among the records, from 1.
    let number: Int
    /// Its bytes, the first ``longest`` of them.
    let bytes: [UInt8]
    /// Whether it was longer.
    let isCut: Bool
    /// Whether the file ends within it, so that more of it may come.
    var isUnfinished = false
    /// Why it is none, where its file says so and not its bytes.
    var problem: ImportRecord.Problem?

    /// A postback has about 500 bytes, and four times as many where each quote is escaped.
    static let longest = 64 << 10
}

extension RawRecord {
    /// Its bytes, of a record that is whole.
    var wholeBytes: [UInt8] {
        get throws(ImportRecord.Problem) {
            if let problem {
                throw problem
            }
            guard !isCut else {
                throw .malformed("it is longer than \(Self.longest) bytes, or a quote does not end")
            }
            return bytes
        }
    }
}
