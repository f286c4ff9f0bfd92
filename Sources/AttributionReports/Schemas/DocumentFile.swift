import CheckedFiles
import CodedErrors

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
                }
            throw DocumentProblem(
                "the file", found: reason, expected: "a file that can be read", cure: "check its path and its mode")
        }
    }
}
