package import Attribution
import Platform
import StrictJSON

/// What is wrong with a token list or a change to it, and how to fix it.
package enum AccessProblem: Error, Hashable, Sendable {
    /// The file cannot be read; it may not exist.
    case unreadable(file: String, reason: String, isMissing: Bool = false)
    /// Users other than the owner can read or write the file.
    case openToOthers(file: String, mode: String)
    /// The file belongs to another user, who can read and change it.
    case ownedByAnother(file: String, user: UInt32)
    /// The file is not a token list.
    case malformed(file: String, reason: String, cure: String? = nil)
    case unwritable(file: String, reason: String)
    /// The name is not a valid holder name.
    case badName(String)
    case noScope
    /// A scope that applies to all networks was to be limited to some.
    case scopeOfAllNetworks(AccessScope)
    /// A scope that applies to all apps was to be limited to some.
    case scopeOfAllApps(AccessScope)
    /// The token would already be expired.
    case expiryPassed(String)
    /// The name already has as many live tokens as allowed.
    case tooManyLive(name: String, ids: [String])
    case full(limit: Int)
    /// No token on the list has this id or name.
    case unknown(String)
    /// The name has more than one token.
    case ambiguous(name: String, ids: [String])
}

extension AccessProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let file, let reason, _): "cannot read the tokens in \(file): \(reason)"
        case .openToOthers(let file, let mode): "the tokens in \(file) can be read or changed by others (mode \(mode))"
        case .ownedByAnother(let file, let user):
            "the tokens in \(file) belong to another user (uid \(user)), who can change them"
        case .malformed(let file, let reason, _): "\(file) is not a token list: \(reason)"
        case .unwritable(let file, let reason): "cannot write \(file): \(reason)"
        case .badName(let name):
            "name: found \(name.holdsToken ? "a token, which is not shown" : "\"\(name.shortened(to: 64))\""), "
                + "expected 1 to 64 of the characters a-z 0-9 . _ -"
        case .noScope: "scope: found none, expected \(AccessScope.allCases.map(\.rawValue).joined(separator: ", "))"
        case .scopeOfAllNetworks(let scope):
            "network: found with the scope \(scope.rawValue), which applies to all networks; "
                + "expected sign, report or both"
        case .scopeOfAllApps(let scope):
            "app: found with the scope \(scope.rawValue), which applies to all apps; expected report alone"
        case .expiryPassed(let day): "expires: found \(day), expected a day after today (UTC)"
        case .tooManyLive(let name, let ids): "\(name) already has two live tokens: \(ids.joined(separator: ", "))"
        case .full(let limit): "the list is full: it has \(limit) tokens"
        case .unknown(let which): "no token has the id or name \(which)"
        case .ambiguous(let name, let ids): "\(name) has more than one token: \(ids.joined(separator: ", "))"
        }
    }

    package var hint: String? {
        switch self {
        case .unreadable(let file, _, isMissing: true):
            "create the list with: skan tokens create --name NAME --scope sign --file \(file)"
        case .unreadable: "name a regular file that this user can read"
        case .openToOthers(let file, _): "chmod 600 \(file)"
        case .ownedByAnother(let file, _): "chown it to the user that skan runs as: chown USER \(file)"
        case .malformed(_, _, let cure): cure ?? "change the file with skan tokens only"
        case .unwritable: "check that the folder exists and can be written"
        case .badName, .noScope, .scopeOfAllNetworks, .scopeOfAllApps, .expiryPassed: "skan help tokens create"
        case .tooManyLive(_, let ids):
            "switch clients to the newer one, then revoke the older: skan tokens revoke \(ids.first ?? "ID")"
        case .full: "revoke tokens no longer needed: skan tokens list, skan tokens revoke ID"
        case .unknown: "skan tokens list shows ids and names"
        case .ambiguous: "give the id: skan tokens revoke ID; skan tokens list shows when each was created"
        }
    }
}

extension AccessProblem {
    /// Why a file cannot be used.
    init(_ problem: CheckedFile.Problem, file: String, isMissing: Bool = false) {
        self =
            switch problem {
            case .unreadable(let reason): .unreadable(file: file, reason: reason, isMissing: isMissing)
            case .openToOthers(let mode), .changeableByOthers(let mode): .openToOthers(file: file, mode: mode)
            case .ownedByAnother(let user): .ownedByAnother(file: file, user: user)
            }
    }
}

extension AccessProblem: CodedError {
    package var code: ErrorCode {
        switch self {
        case .unreadable: .unreadableFile
        case .openToOthers, .ownedByAnother: .openToOthers
        case .malformed: .malformedFile
        case .unwritable: .unwritableFile
        case .badName, .noScope, .scopeOfAllNetworks, .scopeOfAllApps, .expiryPassed: .badField
        case .tooManyLive, .full: .limitReached
        case .unknown, .ambiguous: .noSuchToken
        }
    }
}
