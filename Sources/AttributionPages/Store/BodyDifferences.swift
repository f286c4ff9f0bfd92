import StrictJSON

/// The members in which two bodies differ.
struct BodyDifferences {
    /// The body that was recorded first, and the other.
    let recorded: [UInt8]?
    let other: [UInt8]

    /// A row for each member with different values, in the order of the recorded body, then of the other.
    var table: PageTable {
        let (recorded, other) = (Self.members(recorded ?? []), Self.members(other))
        let names = recorded.map(\.name) + other.map(\.name).filter { name in !recorded.contains { $0.name == name } }
        return PageTable(
            id: "differences", caption: "Fields that differ",
            columns: [.init("field"), .init("recorded"), .init("this copy")],
            rows: names.compactMap { name in
                // Whole values are compared: cells show long ones shortened.
                let (mine, theirs) = (Self.value(name, recorded), Self.value(name, other))
                return mine == theirs ? nil : .init([.value(name), Self.cell(mine), Self.cell(theirs)])
            },
            emptyText: "No field differs that can be read.")
    }

    private static func value(_ name: String, _ members: [JSONField]) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    private static func cell(_ value: JSONValue?) -> PageTable.Cell {
        value.map { .value($0.summary) } ?? .words("absent")
    }

    private static func members(_ body: [UInt8]) -> [JSONField] {
        (try? JSONObject(reading: body))?.fields ?? []
    }
}
