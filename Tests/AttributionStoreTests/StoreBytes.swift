import Foundation

/// The bytes of a closed store, to be damaged where SQLite's file format has something.
struct StoreBytes {
    private let path: String
    private var bytes: [UInt8]

    private static let pageSize = 4_096

    struct NotFound: Error {}

    init(_ path: String) throws {
        self.path = path
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func save() throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The pages of a table or index that hold its rows, in order.
    func leaves(_ name: String) throws -> [Int] {
        try SQLite.query(
            "SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf' ORDER BY path", path
        ).split(separator: "\n").compactMap { Int($0) }
    }

    /// The first page of a table or index.
    func root(_ name: String) throws -> Int {
        guard let page = Int(try SQLite.query("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", path)) else {
            throw NotFound()
        }
        return page
    }

    /// Changes the id of a row, where it stands, to another one; both from 128 to 16,383.
    mutating func change(id: Int, to other: Int, in table: String) throws {
        for page in try leaves(table) {
            let start = (page - 1) * Self.pageSize
            for cell in 0..<number(at: start + 3) {
                var position = start + number(at: start + 8 + 2 * cell)
                // The length of the row comes first.
                while bytes[position] >= 0x80 {
                    position += 1
                }
                position += 1
                if bytes[position] == UInt8(0x80 | id >> 7), bytes[position + 1] == UInt8(id & 0x7F) {
                    bytes[position] = UInt8(0x80 | other >> 7)
                    bytes[position + 1] = UInt8(other & 0x7F)
                    return
                }
            }
        }
        throw NotFound()
    }

    /// Changes the id with which a row of a table without row ids begins; both from 128 to 32,767.
    mutating func changeKey(_ id: Int, to other: Int, in table: String) throws {
        for page in try leaves(table) {
            let start = (page - 1) * Self.pageSize
            for cell in 0..<number(at: start + 3) {
                // The length of the row comes first, then that of its header and the types of its values.
                let row = start + number(at: start + 8 + 2 * cell) + 1
                let value = row + Int(bytes[row])
                if bytes[row + 1] == 2, number(at: value) == id {
                    bytes[value] = UInt8(other >> 8)
                    bytes[value + 1] = UInt8(other & 0xFF)
                    return
                }
            }
        }
        throw NotFound()
    }

    /// Has a page's list of cells say that one begins a byte off, so that its id and length are other bytes.
    mutating func shiftCell(_ index: Int, of page: Int) {
        bytes[(page - 1) * Self.pageSize + 8 + 2 * index + 1] ^= 1
    }

    /// Makes the first page of a table lead to a page in place of one of its own.
    mutating func redirect(_ index: Int, of table: String, to page: Int) throws {
        let start = (try root(table) - 1) * Self.pageSize
        // A page that leads to others, of an index or a table.
        guard bytes[start] == 2 || bytes[start] == 5 else {
            throw NotFound()
        }
        let cell = start + number(at: start + 12 + 2 * index)
        for (offset, shift) in [24, 16, 8, 0].enumerated() {
            bytes[cell + offset] = UInt8(page >> shift & 0xFF)
        }
    }

    /// Makes a page one without rows.
    mutating func empty(_ page: Int) {
        let start = (page - 1) * Self.pageSize
        bytes.replaceSubrange(start..<(start + 8), with: [0x0D, 0, 0, 0, 0, 0x10, 0, 0])
    }

    private func number(at position: Int) -> Int {
        Int(bytes[position]) << 8 | Int(bytes[position + 1])
    }
}
