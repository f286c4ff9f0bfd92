import Attribution
import Foundation
import Platform
import StrictJSON

/// The lists of network ids that source apps and their tools read: an app's Info.plist, and what networks publish.
struct IDListCheck {
    /// The ids that should be in them, in lower case.
    let ours: [String]

    /// An app with many networks has a few hundred ids.
    private static let limit = 4 << 20
    private static let cure = "take the lines that skan publish writes"

    private static let plistKeys = [
        "SKAdNetworkItems", "AdNetworkIdentifiers", "NSAdvertisingAttributionReportEndpoint",
        "AttributionCopyEndpoint", "AdAttributionKit",
    ]
    private static let listKeys = ["skadnetwork_ids", "company_name", "company_address", "company_domain"]

    // MARK: Files

    /// Looks at an app's Info.plist, in XML or binary.
    func infoPlist(_ file: String) -> [Finding] {
        let subject = "Info.plist \(file)"
        do throws(CommandFailure) {
            return plist(try Self.bytes(file), subject)
        } catch {
            return [.problem(subject, error.message, cure: error.hint ?? "check the path")]
        }
    }

    /// Looks at `skadnetworkids.json` or `skadnetworkids.xml`.
    func publishedList(_ file: String) -> [Finding] {
        let subject = "list \(file)"
        do throws(CommandFailure) {
            var bytes = try Self.bytes(file)
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                bytes.removeFirst(3)
            }
            let begin = String(decoding: bytes.drop { $0 <= 0x20 }.prefix(14), as: UTF8.self).lowercased()
            if begin.hasPrefix("<html") || begin == "<!doctype html" {
                return [.problem(subject, "it is a page in HTML", cure: "save the file itself, as curl -fO URL does")]
            }
            return ["{", "["].contains(begin.prefix(1)) ? json(bytes, subject) : plist(bytes, subject)
        } catch {
            return [.problem(subject, error.message, cure: error.hint ?? "check the path")]
        }
    }

    private static func bytes(_ file: String) throws(CommandFailure) -> [UInt8] {
        do throws(CheckedFile.Problem) {
            return try CheckedFile(file).bytes(limit: limit)
        } catch {
            let reason = if case .unreadable(let reason) = error { reason } else { "it cannot be read" }
            throw CommandFailure(reason, hint: "check the path and its permissions")
        }
    }

    private func plist(_ bytes: [UInt8], _ subject: String) -> [Finding] {
        guard let value = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil),
            let members = value as? [String: Any]
        else {
            return [
                .problem(subject, "it is no property list with a dictionary", cure: "plutil -lint says what is wrong")
            ]
        }
        var findings = Self.misspelt(members.keys.sorted(), Self.plistKeys, subject)
        var (items, identifiers): ([String], [String]) = ([], [])
        if let value = members["SKAdNetworkItems"] {
            let list = value as? [Any]
            let dictionaries = (list ?? []).map { $0 as? [String: Any] }
            let texts = (list ?? []).map { $0 as? String }
            items = dictionaries.compactMap { $0?["SKAdNetworkIdentifier"] as? String }
            if list == nil || texts.contains(where: { $0 != nil }) || dictionaries.contains(where: { $0 == nil }) {
                findings.append(
                    .problem(
                        subject, "SKAdNetworkItems is not an array of dictionaries",
                        cure: "write each id in a dictionary, under SKAdNetworkIdentifier"))
            }
            findings += Self.wrongItems(
                dictionaries.compactMap { $0.map { Array($0.keys) } }, "SKAdNetworkIdentifier", subject)
        }
        if let value = members["AdNetworkIdentifiers"] {
            identifiers = (value as? [Any] ?? []).compactMap { $0 as? String }
            if (value as? [Any])?.count != identifiers.count {
                findings.append(
                    .problem(
                        subject, "AdNetworkIdentifiers is not an array of strings", cure: "write each id as a string"))
            }
        }
        findings += Self.spellings(items, "SKAdNetworkItems", subject)
        findings += Self.spellings(identifiers, "AdNetworkIdentifiers", subject)
        // AdAttributionKit takes the ids of SKAdNetwork, too, but SKAdNetwork none but those of its items.
        return findings
            + ours.map { id in
                presence(of: id, in: id.hasSuffix(".adattributionkit") ? identifiers + items : items, subject)
            } + unknown(subject)
    }

    private func json(_ bytes: [UInt8], _ subject: String) -> [Finding] {
        guard bytes.first(where: { $0 > 0x20 }) != UInt8(ascii: "[") else {
            return [
                .problem(
                    subject, "it is a JSON array, not an object with skadnetwork_ids",
                    cure: "take the file that skan publish writes")
            ]
        }
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(reading: bytes, limit: Self.limit)
        } catch {
            return [.problem(subject, "it is no JSON object: \(error)", cure: "take the file that skan publish writes")]
        }
        var findings = Self.misspelt(object.fields.map(\.name), Self.listKeys, subject)
        guard let elements = object["skadnetwork_ids"]?.elements() else {
            return findings + [
                .problem(subject, "there is no array skadnetwork_ids", cure: "take the file that skan publish writes")
            ] + unknown(subject)
        }
        let items = elements.map { element -> JSONObject? in
            if case .nested(let text) = element { try? JSONObject(reading: text.utf8) } else { nil }
        }
        if items.contains(where: { $0 == nil }) {
            findings.append(
                .problem(
                    subject, "skadnetwork_ids is not an array of objects",
                    cure: "write each id in an object, under skadnetwork_id"))
        }
        findings += Self.wrongItems(
            items.compactMap { $0?.fields.map(\.name) }, "skadnetwork_id", subject)
        let ids = items.compactMap { item -> String? in
            if case .string(let id) = item?["skadnetwork_id"] { id } else { nil }
        }
        findings += Self.spellings(ids, "skadnetwork_ids", subject)
        // The list is one of SKAdNetwork's ids.
        return findings + ours.filter { !$0.hasSuffix(".adattributionkit") }.map { presence(of: $0, in: ids, subject) }
            + unknown(subject)
    }

    // MARK: Names

    /// Keys that are nearly one that counts.
    private static func misspelt(_ keys: [String], _ known: [String], _ subject: String) -> [Finding] {
        keys.filter { !known.contains($0) }.compactMap { key in
            known.filter { !keys.contains($0) }.nearest(to: key).map { right in
                .problem(
                    subject, "the key \(key.shortened(to: 60)) is not read", cure: "if it is meant, write \(right)")
            }
        }
    }

    /// Items without their key.
    private static func wrongItems(_ items: [[String]], _ key: String, _ subject: String) -> [Finding] {
        let wrong = items.filter { !$0.contains(key) }
        guard let first = wrong.first else {
            return []
        }
        let found = first.isEmpty ? "nothing" : first.sorted().joined(separator: ", ").shortened(to: 80)
        return [
            .problem(
                subject, "\(wrong.count) of \(items.count) items have no \(key); found \(found)",
                cure: "write the id under \(key)")
        ]
    }

    // MARK: Ids

    /// Ids that Apple gives to nobody, and those that are there twice.
    private static func spellings(_ ids: [String], _ list: String, _ subject: String) -> [Finding] {
        var counts: [String: Int] = [:]
        var findings: [Finding] = []
        for id in ids {
            counts[id, default: 0] += 1
            guard counts[id] == 1 else {
                continue
            }
            do throws(FieldProblem) {
                let label = try RegisteredNetworkID(id).text.prefix { $0 != "." }
                if label.count < usualLength {
                    findings.append(
                        .warning(
                            subject,
                            "\(list): \(id) may be truncated: most ids have \(usualLength) characters before the dot",
                            cure: "compare it with the network's own list"))
                }
            } catch {
                findings.append(
                    .problem(
                        subject, "\(list): found \"\(id.shortened(to: 80))\", expected \(error.expected)",
                        cure: "copy the id whole, from the network's own list"))
            }
        }
        let doubled = counts.filter { $0.value > 1 }.keys.sorted()
        if !doubled.isEmpty {
            findings.append(
                .warning(
                    subject, "\(list): more than once: \(doubled.joined(separator: ", ").shortened(to: 200))",
                    cure: "leave each id once"))
        }
        guard findings.isEmpty, !ids.isEmpty else {
            return findings
        }
        return [.ok(subject, "\(list): \(ids.count) \(ids.count == 1 ? "id" : "ids, each once")")]
    }

    private static let usualLength = 10

    /// Whether an id of ours is there.
    private func presence(of id: String, in ids: [String], _ subject: String) -> Finding {
        if ids.contains(id) {
            return .ok(subject, "has \(id)")
        }
        let label = String(id.prefix { $0 != "." })
        if let other = ids.first(where: { Self.folded($0) == id }) {
            return .problem(
                subject, "has \"\(other.shortened(to: 80))\" for \(id)",
                cure: "write \(id), as Apple gave it: devices compare it")
        }
        let truncated = ids.first { other in
            let text = Self.folded(other)
            let part = text.prefix { $0 != "." }
            // An id may have the label of another with another ending.
            return part.count >= 4 && (part == label ? id.hasPrefix(text) : label.hasPrefix(part))
        }
        if let truncated {
            return .problem(
                subject, "has \"\(truncated.shortened(to: 80))\", which is \(id) truncated", cure: "write \(id)")
        }
        return .problem(subject, "\(id) is missing: devices reject its ads in this app", cure: Self.cure)
    }

    private static func folded(_ id: String) -> String {
        id.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    private func unknown(_ subject: String) -> [Finding] {
        guard ours.isEmpty else {
            return []
        }
        return [
            .warning(
                subject, "which ids are ours is not known",
                cure: "name them with --network (SKAN_NETWORK) or --keys")
        ]
    }
}
