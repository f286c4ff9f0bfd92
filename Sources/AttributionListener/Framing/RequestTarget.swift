/// The path and the query of a request target, as received.
package struct RequestTarget: Sendable, Equatable {
    /// The path; `/` where a target in absolute form has none.
    package let path: String
    /// What follows the question mark; empty without one.
    package let query: String

    /// Splits a target in origin form or absolute form.
    ///
    /// - Parameter target: A target that is well formed.
    init(_ target: UnsafeRawBufferPointer) {
        var start = 0
        if let authority = IngressRoutes.authorityStart(of: target) {
            start = authority
            while start < target.count, target[start] != UInt8(ascii: "/"), target[start] != UInt8(ascii: "?") {
                start += 1
            }
        }
        let mark = target.index(of: UInt8(ascii: "?"), from: start)
        let path = target[bytes: start..<(mark ?? target.count)].text
        self.path = path.isEmpty ? "/" : path
        query = mark.map { target[bytes: ($0 + 1)..<target.count].text } ?? ""
    }

    /// The path and the query together.
    package var text: String {
        query.isEmpty ? path : path + "?" + query
    }

    /// The last element of the path, for which a route may have braces.
    package var lastElement: String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }
}
