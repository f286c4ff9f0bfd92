package import CodedErrors

/// What several files say together; one that is wrong makes all of them wrong.
package protocol DocumentSet: Sendable {
    /// Reads documents.
    ///
    /// - Parameters:
    ///   - documents: JSON texts with their names.
    ///   - known: What is known to be wrong with others.
    /// - Throws: ``CodedErrors/InvalidDocuments`` with everything that is wrong with any of them.
    init(documents: [(name: String, bytes: [UInt8])], besides known: InvalidDocuments) throws(InvalidDocuments)
}

extension DocumentSet {
    /// Reads files.
    ///
    /// - Parameter files: The paths of JSON files.
    /// - Throws: ``CodedErrors/InvalidDocuments`` with everything that is wrong with any of them.
    package init(files: [String]) throws(InvalidDocuments) {
        var invalid = InvalidDocuments()
        let documents = DocumentFile.documents(files, &invalid)
        try self.init(documents: documents, besides: invalid)
    }
}
