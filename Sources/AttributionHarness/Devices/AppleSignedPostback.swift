import Attribution
import Foundation
import StrictJSON

/// A published postback, built into the product, and whether its signature verifies with Apple's key.
///
/// - SeeAlso: [Verifying an install-validation
///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
package struct AppleSignedPostback: Sendable, CustomStringConvertible {
    /// The name of its file.
    package let name: String
    /// Whether it must verify.
    package let isGenuine: Bool
    /// What the case shows.
    package let why: String
    /// The body, with the names in the order of the file.
    package let body: [UInt8]

    /// The name of its file.
    package var description: String {
        name
    }

    /// All built-in postbacks, ordered by version.
    package static func all() throws -> [AppleSignedPostback] {
        try [
            PackageResources.skan_2_0_source_app_json, PackageResources.skan_2_1_source_app_json,
            PackageResources.skan_2_2_source_app_json, PackageResources.skan_3_0_win_json,
            PackageResources.skan_3_0_lose_json, PackageResources.skan_4_0_web_fine_json,
            PackageResources.skan_4_0_web_coarse_json, PackageResources.skan_2020_page_sample_json,
            PackageResources.aak_development_reengagement_json, PackageResources.aak_older_page_sample_json,
        ].map(AppleSignedPostback.init(file:))
    }

    /// Reads a file with `name`, `expect`, `why` and the postback under `body`.
    ///
    /// - Throws: ``Attribution/JSONError`` or ``Attribution/FieldProblem`` if the file is invalid.
    package init(file: [UInt8]) throws {
        let object = try JSONObject(reading: file)
        func string(_ name: String) throws -> String {
            guard case .string(let text) = object[name] else {
                throw FieldProblem(field: name, found: object[name]?.summary ?? "nothing", expected: "a string")
            }
            return text
        }
        guard case .nested(let body) = object["body"] else {
            throw FieldProblem(field: "body", found: object["body"]?.summary ?? "nothing", expected: "an object")
        }
        name = try string("name")
        isGenuine = try string("expect") == "valid"
        why = try string("why")
        self.body = Array(body.utf8)
    }
}
