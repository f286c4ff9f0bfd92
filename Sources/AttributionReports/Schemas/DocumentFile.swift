import CheckedFiles
import CodedErrors
import Foundation

/// A JSON document that a person wrote, in a file.
struct DocumentFile {
    /// Its bytes.
    let bytes: [UInt8]

    /// The longest file that is read; a map of ten thousand campaigns takes about two megabytes.
    static let limit = 4 << 20

    /// Reads a file.
    init(_ path: String) throws(DocumentProblem) {
        do throws(CheckedFile.Problem) {
            bytes = try CheckedFile(path).bytes(limit: Self.limit)
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

    /// Reads several files, and notes those that cannot be read.
    static func documents(_ files: [String], _ invalid: inout InvalidDocuments) -> [(name: String, bytes: [UInt8])] {
        var documents: [(name: String, bytes: [UInt8])] = []
        for file in files {
            do throws(DocumentProblem) {
                documents.append((file, try DocumentFile(file).bytes))
            } catch {
                invalid.note([error], in: file)
            }
        }
        return documents
    }

    /// Reads a file that need not exist; empty if it does not.
    static func bytes(orEmpty path: String) throws(InvalidDocuments) -> [UInt8] {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            return []
        }
        var invalid = InvalidDocuments()
        guard let bytes = documents([path], &invalid).first?.bytes else {
            throw invalid
        }
        return bytes
    }
}
