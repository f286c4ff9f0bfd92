package import StrictJSON

// What people and programs write is turned into identifiers here, or refused by the name of its field.

extension AdNetworkID {
    /// Accepts an id, spelt as in the source app's Info.plist.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> AdNetworkID {
        guard let id = AdNetworkID(text) else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"", expected: SignedTextSeparator.rule)
        }
        return id
    }
}

extension Nonce {
    /// Accepts a version 4 UUID in lower case with dashes.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> Nonce {
        guard let nonce = Nonce(text) else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 40))\"",
                expected: "a version 4 UUID in lower case, for example 68483ef6-0678-40df-859b-1b8f3f2d7b21")
        }
        return nonce
    }
}

extension AppStoreItemID {
    /// What is expected of the id of an app that shows ads.
    static let sourceRule = "an App Store id, or 0 in development"
    /// What is missing when no app is named that shows the ad.
    static let missingSourceRule = "the App Store id of the app that shows the ad (0 while it is development-signed)"

    /// What is missing when no app is named that shows the ad, of a version that has a source.
    static func missingSourceRule(in version: SKAdNetworkVersion) -> String {
        missingSourceRule + (version >= .v4_0 ? ", or source-domain for a web ad" : "")
    }

    /// What is expected of the id of an advertised app.
    static let advertisedRule = "an App Store id greater than 0"

    /// Accepts the id of an advertised app.
    static func advertised(_ number: Int64, field: String) throws(FieldProblem) -> AppStoreItemID {
        guard number > 0 else {
            throw FieldProblem(field: field, found: String(number), expected: advertisedRule)
        }
        return AppStoreItemID(number)
    }
}

extension CampaignNumber {
    /// What a message expects.
    static var rule: String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Accepts a number of the range.
    static func checked(_ number: Int64?, field: String) throws(FieldProblem) -> Self {
        guard let value = number.flatMap({ Self($0) }) else {
            throw FieldProblem(field: field, found: number.map { String($0) } ?? "nothing", expected: rule)
        }
        return value
    }
}

extension UnixMilliseconds {
    /// From 2017, before the first version, to 2100: outside it, the unit is wrong.
    private static let signable: ClosedRange<Int64> = 1_483_228_800_000...4_102_444_800_000

    /// Refuses a time that is not near the present, and so probably in another unit or of a clock that is wrong.
    func checkIsSignable(field: String) throws(FieldProblem) {
        guard Self.signable.contains(rawValue) else {
            throw FieldProblem(
                field: field, found: String(rawValue), expected: "Unix time in milliseconds (13 digits)")
        }
    }
}

extension SourceDomain {
    /// Whether it can be a domain: it has a dot and a letter, so that no number can pass for one.
    var isDomainName: Bool {
        var (hasDot, hasLetter) = (false, false)
        for byte in text.utf8 {
            hasDot = hasDot || byte == UInt8(ascii: ".")
            // A letter of any script: those beyond ASCII take several bytes, all of them from 0x80.
            hasLetter = hasLetter || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return hasDot && hasLetter
    }

    /// What a message expects.
    static var rule: String { "a domain alone of at most 255 bytes, for example example.com" }

    /// Accepts a domain alone, without scheme, port or path; its letters are left as they are.
    ///
    /// - Parameters:
    ///   - text: For example `example.com`.
    ///   - field: The name of the field it was found in.
    /// - Returns: The domain.
    /// - Throws: ``FieldProblem`` naming the field.
    package static func checked(_ text: String, field: String) throws(FieldProblem) -> SourceDomain {
        let hasMore = text.utf8.contains { Array("/:@ ".utf8).contains($0) }
        guard let domain = SourceDomain(text), domain.isDomainName, !hasMore else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"",
                expected: rule)
        }
        return domain
    }
}
