package import Attribution
import AttributionListener
import Platform
import StrictJSON

/// The destinations of a server, as a JSON file has them: `{"destinations": [{"name": …, "url": …, "body": "raw"}]}`.
///
/// It is read as a whole or not at all, and every problem is told at once. Paths in it are relative to its folder.
package struct DestinationFile: Hashable, Sendable {
    /// The destinations, in the order of the file, each with a name of its own.
    package let destinations: [Destination]

    /// The longest file, in bytes.
    private static let limit = 1 << 20
    /// How many destinations there may be.
    private static let most = 1000

    /// Reads a file, and the files of secrets that it names.
    ///
    /// - Throws: ``DestinationFileProblem``.
    package init(file: String) throws(DestinationFileProblem) {
        let bytes: [UInt8]
        do throws(CheckedFile.Problem) {
            let opened = try CheckedFile(file)
            try opened.checkIsNotChangeable()
            bytes = try opened.bytes(limit: Self.limit)
        } catch {
            switch error {
            case .unreadable(let reason): throw .unreadable(file: file, reason: reason)
            case .changeableByOthers(let mode), .openToOthers(let mode):
                throw .changeableByOthers(file: file, mode: mode)
            case .ownedByAnother(let user): throw .unreadable(file: file, reason: "it belongs to user \(user)")
            }
        }
        let folder = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[...$0]) } ?? ""
        try self.init(reading: bytes, file: file, folder: folder)
    }

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: Its name, for problems.
    ///   - folder: What paths in it are relative to: a path that ends in a slash, or nothing.
    /// - Throws: ``DestinationFileProblem/invalid(_:)`` with every problem.
    package init(reading bytes: [UInt8], file: String, folder: String = "") throws(DestinationFileProblem) {
        var invalid = InvalidDocuments()
        var destinations: [Destination] = []
        do throws(DocumentProblem) {
            let fields = try DocumentFields(
                reading: bytes, limit: Self.limit, name: "the file",
                cure: #"write {"destinations": [{"name": "partner", "url": "https://…", "body": "raw"}]}"#,
                longestShown: DestinationReader.longestShown)
            try DestinationReader.allow(["destinations"], fields)
            guard fields.has("destinations") else {
                throw fields.problem(
                    "destinations", found: "nothing", expected: "an array of objects, which may be empty",
                    cure: "add \"destinations\": []")
            }
            let children = try fields.children("destinations")
            guard children.count <= Self.most else {
                throw fields.problem(
                    "destinations", found: "\(children.count)", expected: "at most \(Self.most)",
                    cure: "write those of other networks into files of other servers")
            }
            for child in children {
                let reader = DestinationReader(child, folder: folder)
                var problems = DocumentProblems()
                let destination = reader.destination(besides: destinations.map(\.name), noting: &problems)
                invalid.note(problems.all, in: reader.name.map { "\(file), destination \($0)" } ?? file)
                if let destination { destinations.append(destination) }
            }
        } catch {
            invalid.note([error], in: file)
        }
        guard invalid.problems.isEmpty else { throw .invalid(invalid) }
        self.destinations = destinations
    }
}

/// Why a file of destinations is not used.
package enum DestinationFileProblem: CodedError, Hashable, CustomStringConvertible {
    /// It cannot be read.
    case unreadable(file: String, reason: String)
    /// Others can change it, and with it who gets postbacks.
    case changeableByOthers(file: String, mode: String)
    /// What it says is not what it may say.
    case invalid(InvalidDocuments)

    package var code: ErrorCode {
        switch self {
        case .unreadable: .unreadableFile
        case .changeableByOthers: .openToOthers
        case .invalid: .malformedFile
        }
    }

    package var description: String {
        switch self {
        case .unreadable(let file, let reason): "cannot read the destinations \(file): \(reason)"
        case .changeableByOthers(let file, let mode):
            "\(file), which says who gets postbacks, can be changed by others (mode \(mode))"
        case .invalid(let problems): problems.description
        }
    }

    /// How to fix it.
    package var hint: String? {
        switch self {
        case .unreadable: "check the path and who may read it"
        case .changeableByOthers(let file, _): "chmod go-w \(file)"
        case .invalid(let problems): problems.hint
        }
    }
}
