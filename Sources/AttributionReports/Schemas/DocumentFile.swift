package import Attribution
import Foundation
import Platform

/// Files with JSON documents that people write.
enum DocumentFile {
    /// The longest file that is read; a map of ten thousand campaigns takes about two megabytes.
    static let limit = 4 << 20

    /// Reads a file.
    static func bytes(_ path: String) throws(DocumentProblem) -> [UInt8] {
        do throws(CheckedFile.Problem) {
            return try CheckedFile(path).bytes(limit: limit)
        } catch {
            let reason =
                switch error {
                case .unreadable(let reason): reason
                case .openToOthers(let mode): "mode \(mode)"
                case .ownedByAnother(let user): "owner \(user)"
                }
            throw DocumentProblem(
                "the file", found: reason, expected: "a file that can be read", cure: "check its path and its mode")
        }
    }

    /// Reads a file that need not exist; empty if it does not.
    static func bytes(orEmpty path: String) throws(InvalidDocuments) -> [UInt8] {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            return []
        }
        do throws(DocumentProblem) {
            return try bytes(path)
        } catch {
            var invalid = InvalidDocuments()
            invalid.note([error], in: path)
            throw invalid
        }
    }
}

/// What several files say together; one that is wrong makes all of them wrong.
package protocol DocumentSet: Sendable {
    /// Reads documents.
    init(documents: [(name: String, bytes: [UInt8])], besides known: InvalidDocuments) throws(InvalidDocuments)
}

extension DocumentSet {
    /// Reads JSON files.
    package init(files: [String]) throws(InvalidDocuments) {
        var invalid = InvalidDocuments()
        var documents: [(name: String, bytes: [UInt8])] = []
        for file in files {
            do throws(DocumentProblem) {
                documents.append((file, try DocumentFile.bytes(file)))
            } catch {
                invalid.note([error], in: file)
            }
        }
        try self.init(documents: documents, besides: invalid)
    }
}
