import StrictJSON

/// The configuration of an overlay, passed through from the bidder: names with whole numbers.
struct Overlay: Hashable, Sendable {
    private let members: [Member]

    private struct Member: Hashable {
        let name: String
        let value: Int64
    }

    /// Reads all members of an object; nil if there is no object.
    init?(_ fields: RequestFields?) throws(FieldProblem) {
        guard let fields else {
            return nil
        }
        members = try fields.allIntegers().map { Member(name: $0.0, value: $0.1) }
    }

    /// Writes the object.
    func write(to json: inout JSONWriter) {
        json.object { json in
            for member in members { json.member(member.name, member.value) }
        }
    }
}
