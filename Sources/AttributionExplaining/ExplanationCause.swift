import Attribution
import AttributionSigning

/// What happened to a postback or an impression between its signer and here.
package enum ExplanationCause: String, CaseIterable, Hashable, Sendable {
    /// Nothing: it is valid.
    case nothing = "none"
    /// The value of a signed field is not the one that was signed.
    case valueChanged = "value-changed"
    /// A signed field was not there when it was signed.
    case fieldAdded = "field-added"
    /// A signed field, or the signature, is gone.
    case fieldRemoved = "field-removed"
    /// An absent field was filled with 0, `""` or `null`.
    case zeroFilled = "zero-filled"
    /// A value has another JSON type.
    case retyped
    /// Letters are in another case.
    case letterCase = "letter-case"
    /// It names another version than the one it was signed for.
    case versionChanged = "version-changed"
    /// Another key than the one that its version or `kid` requires signed it.
    case wrongKey = "wrong-key"
    /// A test key signed it, but it claims another one.
    case testKey = "test-key"
    /// One of Apple's development keys signed it, but it claims another one.
    case developmentKey = "development-key"
    /// The signature is intact, but encoded in another way.
    case signatureEncoding = "signature-encoding"
    /// U+2063, which joins signed values, is inside one.
    case separatorInValue = "separator-in-value"
    /// A name occurs twice.
    case duplicateName = "duplicate-name"
    /// A value is under the name of another field.
    case movedField = "moved-field"
    /// Fields have other names than Apple's: another spelling, a prefix, or a short name.
    case renamedField = "renamed-field"
    /// The postback is inside something else.
    case wrapped
    /// It is not one JSON object.
    case notJSON = "not-json"
    /// No cause could be proven.
    case unexplained

    /// What to do about it with a postback of a framework, and who can; nil for a framework that cannot be told.
    func advice(for framework: PostbackFramework?) -> String? {
        switch (self, framework) {
        case (.testKey, .skAdNetwork): "send test postbacks to a server that trusts the test key"
        case (.developmentKey, .skAdNetwork):
            "it comes from a device in Developer Mode, not from an install; have whoever forwards it keep its version"
        case (.unexplained, .skAdNetwork):
            "ask whoever forwarded it for the bytes as received; if these do not verify either, Apple did not sign "
                + "them, or with a key that is not known here: postbacks of Developer Mode have another one than "
                + "production, which --apple-keys adds as development"
        default: advice
        }
    }

    /// What to do where it is not alone: what something else has to be undone on, no import reads.
    var adviceBesideOthers: String? {
        let rest = "and its values as received; skan import changes no values of JSON, so it keeps it in quarantine"
        return switch self {
        case .renamedField: "have whoever forwards it keep Apple's names, \(rest)"
        case .wrapped: "have whoever forwards it send what is inside alone, one per request, \(rest)"
        default: nil
        }
    }

    private var advice: String? {
        switch self {
        case .nothing: nil
        case .valueChanged:
            "have whoever forwards it pass the bytes on as received; a changed value of a signed field makes it worthless"
        case .fieldAdded: "have whoever forwards it add nothing; fields of its own need names that Apple does not use"
        case .fieldRemoved: "have whoever forwards it pass on every field, also those it does not know"
        case .zeroFilled: "have whoever forwards it leave absent fields out: absent, null, 0 and \"\" are four things"
        case .retyped: "have whoever forwards it keep the JSON types: best the bytes as received"
        case .letterCase: "have whoever forwards it keep the letters of ids as received; they are signed as they are"
        case .versionChanged: "have whoever forwards it keep version as received; it selects what is signed and the key"
        case .wrongKey: "ask whoever sent it which key signed it; Apple's production key for its version did not"
        case .testKey: "send test postbacks to a server that trusts the test key, with the kid they were signed with"
        case .developmentKey:
            "it comes from a development device, not from an install; send it on with its kid as received"
        case .signatureEncoding: "have whoever forwards it pass the signature on as received, without encoding it again"
        case .separatorInValue: "refuse it: someone joined values so that they read as another postback"
        case .duplicateName: "have whoever forwards it send each name once"
        case .movedField: "have whoever forwards it keep Apple's names, each with its own value"
        case .renamedField: "have whoever forwards it keep Apple's names; skan import reads these names as they are"
        case .wrapped:
            "have whoever forwards it send what is inside alone, one per request; skan import reads it as it is"
        case .notJSON: "have whoever forwards it send the JSON object as received, one per request"
        case .unexplained:
            "ask whoever forwarded it for the bytes as received; if these do not verify either, Apple did not sign them"
        }
    }
}
