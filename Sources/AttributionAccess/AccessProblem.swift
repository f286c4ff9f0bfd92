import Attribution
import StrictJSON

/// What is wrong with a list of tokens or a change to it, and how to mend it.
package enum AccessProblem: Error, Hashable, Sendable {
    /// The file cannot be read.
    case unreadable(file: String, reason: String)
    /// Others than the owner can read or write the file.
    case openToOthers(file: String, mode: String)
    /// The file is not a list of tokens.
    case malformed(file: String, reason: String)
    /// The file cannot be written.
    case unwritable(file: String, reason: String)
    /// The name is not one a holder can have.
    case badName(String)
    /// No scope was given.
    case noScope
    /// A scope that concerns every network was to be limited to some.
    case scopeOfAllNetworks(AccessScope)
    /// The token would have expired before it was made.
    case expiryPassed(String)
    /// The name has as many live tokens as it may have.
    case tooManyLive(name: String, ids: [String])
    /// The list is full.
    case full(limit: Int)
    /// No token of the list has this id or name.
    case unknown(String)
    /// The name has more than one token.
    case ambiguous(name: String, ids: [String])
}

extension AccessProblem: CustomStringConvertible {
    /// What is wrong.
    package var description: String {
        switch self {
        case .unreadable(let file, let reason): "cannot read the tokens in \(file): \(reason)"
        case .openToOthers(let file, let mode): "the tokens in \(file) can be read or changed by others (mode \(mode))"
        case .malformed(let file, let reason): "\(file) is not a list of tokens: \(reason)"
        case .unwritable(let file, let reason): "cannot write \(file): \(reason)"
        case .badName(let name):
            "name: found \"\(name.shortened(to: 64))\", expected 1 to 64 of the characters a-z 0-9 . _ -"
        case .noScope: "scope: found none, expected \(AccessScope.allCases.map(\.rawValue).joined(separator: ", "))"
        case .scopeOfAllNetworks(let scope):
            "network: found with the scope \(scope.rawValue), which concerns every network; expected sign, report or both"
        case .expiryPassed(let day): "expires: found \(day), expected a day after today (UTC)"
        case .tooManyLive(let name, let ids): "\(name) has two live tokens already: \(ids.joined(separator: ", "))"
        case .full(let limit): "the list holds \(limit) tokens, as many as it may"
        case .unknown(let which): "no token has the id or name \(which)"
        case .ambiguous(let name, let ids): "\(name) has more than one token: \(ids.joined(separator: ", "))"
        }
    }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .unreadable: "make the list with: skan tokens create --name NAME --scope sign --file FILE"
        case .openToOthers(let file, _): "chmod 600 \(file)"
        case .malformed: "let skan tokens write the file"
        case .unwritable: "check that the folder exists and can be written"
        case .badName, .noScope, .scopeOfAllNetworks, .expiryPassed: "skan help tokens create"
        case .tooManyLive(_, let ids):
            "move the clients to the newer one, then revoke the older: skan tokens revoke \(ids.first ?? "ID")"
        case .full: "revoke those no longer needed: skan tokens list, skan tokens revoke ID"
        case .unknown: "skan tokens list shows ids and names"
        case .ambiguous: "give the id: skan tokens revoke ID; skan tokens list shows when each was made"
        }
    }
}
