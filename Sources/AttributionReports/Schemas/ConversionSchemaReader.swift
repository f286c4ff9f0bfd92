import Attribution
import StrictJSON

/// Reads the schemas of one file, and notes everything that is wrong with it.
struct ConversionSchemaReader {
    /// The schemas, each with its path in the file; of a file with problems, those that could be read.
    private(set) var schemas: [(schema: ConversionSchema, path: String)] = []
    private(set) var problems = DocumentProblems()

    private static let members = ["app", "name", "from", "to", "currency", "fine", "bits", "coarse"]

    init(_ file: [UInt8]) {
        guard let fields = problems.document(file, "schemas", members: ["schemas"]) else {
            return
        }
        for child in problems.attempt(try fields.objects("schemas")) ?? [] {
            if let schema = read(child) {
                schemas.append((schema, child.path))
            }
        }
    }

    private mutating func read(_ fields: DocumentFields) -> ConversionSchema? {
        let known = problems.all.count
        problems.note(fields.unknown(besides: Self.members))
        let app = problems.attempt(try fields.integer("app", in: 1...Int.max))
        let name = problems.attempt(try fields.optionalText("name"))
        let days = problems.days(fields)
        let currency = problems.attempt(try fields.currency("currency")) ?? nil
        let bits = bitFields(fields)
        let fine = fineMeanings(fields, bits)
        let coarse = coarseMeanings(fields)
        let meanings = fine.compactMap(\.self) + coarse.flatMap(\.values)
        if !fields.has("currency"), meanings.contains(where: { $0.revenue != nil }) {
            problems.note(
                fields.problem(
                    "currency", found: "nothing", expected: "the currency of the revenue",
                    cure: "add \"currency\", such as \"EUR\""))
        }
        if problems.all.count == known, meanings.isEmpty {
            problems.note(
                fields.problem(
                    "fine", found: "nothing", expected: "the meaning of at least one value, in fine, bits or coarse",
                    cure: "add \"fine\", such as [{\"value\": 1, \"events\": [\"purchase\"]}]"))
        }
        guard problems.all.count == known, let app, let days else {
            return nil
        }
        return ConversionSchema(
            app: AppStoreItemID(Int64(app)), name: name ?? nil, from: days.from, through: days.through,
            currency: currency, fields: bits, fine: fine, coarse: coarse)
    }

    // MARK: Fine values

    private mutating func fineMeanings(
        _ fields: DocumentFields,
        _ bits: [ConversionSchema.BitField]
    ) -> [ConversionMeaning?] {
        if fields.has("fine"), fields.has("bits") {
            problems.note(
                fields.problem(
                    "bits", found: "it beside fine", expected: "one of the two",
                    cure: "describe values by their bits, or each value or range"))
        }
        guard !bits.isEmpty else {
            return meanings(fields, "fine", upTo: 63)
        }
        let covered = bits.reduce(0) { $0 | $1.mask }
        return (0...63).map { value in
            guard value & ~covered == 0 else {
                return nil
            }
            let parts = bits.map { $0.meanings[$0.part(of: UInt8(value))] }
            return parts.dropFirst().reduce(parts[0]) { left, right in
                left.flatMap { left in right.map { left + $0 } }
            }
        }
    }

    private mutating func bitFields(_ fields: DocumentFields) -> [ConversionSchema.BitField] {
        let children = problems.attempt(try fields.children("bits")) ?? []
        var bits: [ConversionSchema.BitField] = []
        for child in children {
            problems.note(child.unknown(besides: ["name", "first-bit", "count", "values"]))
            let name = problems.attempt(try child.text("name"))
            let firstBit = problems.attempt(try child.integer("first-bit", in: 0...5))
            let count = problems.attempt(try child.integer("count", in: 1...(6 - (firstBit ?? 0))))
            guard let name, let firstBit, let count else {
                continue
            }
            let field = ConversionSchema.BitField(
                name: name, firstBit: firstBit, count: count,
                meanings: meanings(child, "values", upTo: 1 << count - 1))
            if let other = bits.first(where: { $0.mask & field.mask != 0 }) {
                problems.note(
                    child.problem(
                        "first-bit", found: "bits of \"\(other.name.shortened(to: 60))\"",
                        expected: "bits that no other field has", cure: "count bits from 0, the lowest, to 5"))
            }
            bits.append(field)
        }
        return bits.sorted { $0.firstBit < $1.firstBit }
    }

    /// The meanings of values from 0 on, of which each entry has one or a range.
    private mutating func meanings(
        _ fields: DocumentFields,
        _ name: String,
        upTo greatest: Int
    ) -> [ConversionMeaning?] {
        var meanings = [ConversionMeaning?](repeating: nil, count: greatest + 1)
        for child in problems.attempt(try fields.children(name)) ?? [] {
            problems.note(child.unknown(besides: ["value", "from", "to", "events", "revenue"]))
            let range = problems.attempt(try Self.range(child, upTo: greatest))
            guard let range, let meaning = meaning(child) else {
                continue
            }
            if let value = range.first(where: { meanings[$0] != nil }) {
                problems.note(
                    child.problem(
                        child.has("value") ? "value" : "from", found: "\(value), which has a meaning already",
                        expected: "each value once", cure: "make the ranges not overlap"))
            }
            for value in range {
                meanings[value] = meaning
            }
        }
        return meanings
    }

    private static func range(
        _ fields: DocumentFields,
        upTo greatest: Int
    ) throws(DocumentProblem) -> ClosedRange<Int> {
        guard fields.has("value") else {
            let from = try fields.integer("from", in: 0...greatest)
            return from...(try fields.integer("to", in: from...greatest))
        }
        guard !fields.has("from"), !fields.has("to") else {
            throw fields.problem(
                "value", found: "it beside a range", expected: "value, or from and to", cure: "remove one of them")
        }
        let value = try fields.integer("value", in: 0...greatest)
        return value...value
    }

    // MARK: Coarse values

    private mutating func coarseMeanings(_ fields: DocumentFields) -> [[CoarseConversionValue: ConversionMeaning]] {
        var coarse = [[CoarseConversionValue: ConversionMeaning]](repeating: [:], count: 3)
        guard fields.has("coarse"), let windows = problems.attempt(try fields.child("coarse")) else {
            return coarse
        }
        problems.note(windows.unknown(besides: ["1", "2", "3"]))
        for (index, name) in ["1", "2", "3"].enumerated() where windows.has(name) {
            guard let values = problems.attempt(try windows.child(name)) else {
                continue
            }
            problems.note(values.unknown(besides: CoarseConversionValue.allCases.map(\.rawValue)))
            for value in CoarseConversionValue.allCases where values.has(value.rawValue) {
                guard let child = problems.attempt(try values.child(value.rawValue)) else {
                    continue
                }
                problems.note(child.unknown(besides: ["events", "revenue"]))
                coarse[index][value] = meaning(child)
            }
        }
        return coarse
    }

    // MARK: Meanings

    private mutating func meaning(_ fields: DocumentFields) -> ConversionMeaning? {
        let events = problems.attempt(try fields.texts("events"))
        let revenue = problems.attempt(try fields.revenue("revenue"))
        guard let events, let revenue else {
            return nil
        }
        return ConversionMeaning(events: events, revenue: revenue)
    }
}
