package import Attribution
package import AttributionStore
import Foundation

/// Files that tests need.
package enum Fixture {
    /// The path of a file.
    package static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
    }

    /// The path of a copy that its owner alone can read, for the caller to remove.
    package static func secret(_ name: String) throws -> String {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())-\(name)").path
        try FileManager.default.copyItem(atPath: path(name), toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        return copy
    }
}

/// Texts that must not get out of the element or attribute they are shown in.
package enum HostileText {
    /// Breaks out of attributes and elements, where nothing is escaped.
    package static let markup = #""><script>alert(1)</script><img src=x onerror='alert(2)'>&lt;"#
    /// Changes the order in which what follows is read, and is not seen itself.
    package static let invisible = "a\u{2063}b\u{202E}c\u{2066}d\u{200B}e"
    /// Ends texts in careless programs.
    package static let control = "a\u{0}b\u{1B}[31mc\r\nd\u{85}e\u{7F}"
    /// A name of four kilobytes.
    package static let long = String(repeating: "name-", count: 820)
    /// An address that runs a script where addresses are not checked.
    package static let address = "javascript:alert(1)//?a=b&c=d#e"

    /// All of them.
    package static let all = [markup, invisible, control, long, address]
}

/// Random numbers that a seed determines (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}

/// Runs blocking code on a thread of its own, so that no task waits for a socket.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
    }
}

// What most tests are about: real ads, without limits.

extension AdCostWriting {
    /// Adds up lines of real ads, and returns how many are new.
    @discardableResult
    package func addSigned(_ counts: [SignedImpressionCount]) throws -> Int {
        try addSigned(counts, of: .real)
    }

    /// Records spend on real ads.
    package func recordSpend(_ spend: [Spend], replaces: Bool) throws -> SpendRecording {
        try recordSpend(spend, of: .real, replaces: replaces)
    }
}

extension LedgerReading {
    /// What is known of the real ads of some days.
    package func costs(_ days: ClosedRange<CalendarDay>) async throws -> AdCosts {
        try await costs(AdCostQuestion(days: days))
    }
}
