import Attribution
import CheckedFiles
package import CodedErrors
import StrictJSON

/// A file of names as text, to which campaigns are added without changing the rest of it.
package struct CampaignDocument: Sendable {
    /// The text.
    private(set) var bytes: [UInt8]
    /// What it says.
    package private(set) var map: CampaignMap

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text; empty for a new file.
    ///   - name: The name of the file, for messages.
    /// - Throws: ``CodedErrors/InvalidDocuments`` with everything that is wrong with it.
    package init(_ bytes: [UInt8], name: String) throws(InvalidDocuments) {
        self.bytes = bytes.isEmpty ? Array("{\n  \"version\": 1,\n  \"campaigns\": []\n}\n".utf8) : bytes
        map = try CampaignMap(documents: [(name, self.bytes)])
    }

    /// The text.
    package var text: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Adds a campaign at the end of the list, indented like the first one.
    ///
    /// - Parameter campaign: The campaign.
    package mutating func add(_ campaign: NamedCampaign) {
        guard let object = try? JSONObject(reading: bytes, limit: bytes.count) else {
            return
        }
        for field in object.scannedFields where object.source.isString(field.name, "campaigns") {
            if case .nested(let range) = field.value {
                insert(campaign, inListAt: range)
                map.add(campaign)
                return
            }
        }
        // There was no list: one goes before the end of the object.
        guard let end = bytes.lastIndex(of: UInt8(ascii: "}")) else {
            return
        }
        let last = bytes[..<end].lastIndex { !Self.isSpace($0) } ?? end
        bytes.insert(contentsOf: Array(",\n  \"campaigns\": [\n    \(campaign.line)\n  ]".utf8), at: last + 1)
        map.add(campaign)
    }

    private mutating func insert(_ campaign: NamedCampaign, inListAt range: Range<Int>) {
        let close = range.upperBound - 1
        let last = bytes[..<close].lastIndex { !Self.isSpace($0) } ?? range.lowerBound
        guard last > range.lowerBound else {
            bytes.replaceSubrange(range, with: Array("[\n    \(campaign.line)\n  ]".utf8))
            return
        }
        let space = bytes[(range.lowerBound + 1)...].prefix { Self.isSpace($0) }
        bytes.insert(contentsOf: Array(",".utf8) + space + Array(campaign.line.utf8), at: last + 1)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }
}

extension NamedCampaign {
    /// The campaign as an object on one line.
    fileprivate var line: String {
        var members: [(String, JSONText)] = [
            ("name", .string(name)), ("network", .string(network)), ("app", .integer(app.value)),
        ]
        if let campaignID {
            members.append(("campaign-id", .integer(campaignID.value)))
        }
        if let sourceIdentifier {
            members.append(("source-identifier", .string(sourceIdentifier.digits)))
        }
        members.append(("from", .string(from.description)))
        if let through {
            members.append(("to", .string(through.description)))
        }
        return JSONText.object(members).line
    }
}

extension CampaignDocument {
    /// Allocates an id in a file, which is created if there is none; under a lock, so that two commands never take the
    /// same one.
    ///
    /// - Parameters:
    ///   - allocation: What is wanted.
    ///   - path: The file.
    /// - Returns: The campaign with its id, once the file is on disk.
    /// - Throws: ``CodedErrors/InvalidDocuments`` for a file that is not as it must be, and ``CodedErrors/Refusal`` if no
    ///   id is free or the file cannot be written.
    package static func allocate(_ allocation: CampaignAllocation, inFile path: String) throws -> NamedCampaign {
        do {
            let replacement = try FileReplacement(locking: path)
            var document = try CampaignDocument(try DocumentFile.bytes(orEmpty: path), name: path)
            let campaign = try allocation.campaign(in: document.map)
            document.add(campaign)
            guard document.bytes.count <= DocumentFile.limit else {
                throw Refusal(
                    .limitReached, "\(path) would be longer than \(DocumentFile.limit) bytes, the most that is read",
                    hint: "move campaigns that are over into another file")
            }
            try replacement.replace(with: document.bytes, mode: 0o644)
            return campaign
        } catch let problem as FileReplacement.Problem {
            throw Refusal(.unwritableFile, "cannot write \(path): \(problem.reason)")
        }
    }
}
