import Attribution

extension SignCommand {
    /// Refuses options that the framework or version does not have, instead of silently ignoring them.
    func refuseOptions() throws {
        let options: [(name: String, isGiven: Bool)] =
            switch framework {
            case .skadnetwork: [("--re-engagement", reEngagement), ("--format jws", format == .jws)]
            case .adattributionkit:
                [
                    ("--version", version != nil), ("--campaign", campaign != nil),
                    ("--source-domain", sourceDomain != nil), ("--fidelity", fidelity != nil),
                    ("--format \(format.rawValue)", format == .storekit || format == .impression),
                ]
            }
        let other = Framework.allCases.first { $0 != framework } ?? framework
        for option in options where option.isGiven {
            throw CommandFailure(
                "\(option.name): found with --framework \(framework.rawValue), which does not have it",
                hint: "leave it out, or give --framework \(other.rawValue)")
        }
        try version.map { try refuse(with: $0) }
    }

    /// Refuses options that describe one impression, beside a batch whose orders describe theirs.
    func refuseOptionsOfOne() throws {
        let options: [(name: String, isGiven: Bool)] = [
            ("--framework", framework != .skadnetwork), ("--version", version != nil), ("--network", network != nil),
            ("--campaign", campaign != nil), ("--source-identifier", sourceIdentifier != nil),
            ("--advertised-app", advertisedApp != nil), ("--source-app", sourceApp != nil),
            ("--source-domain", sourceDomain != nil), ("--fidelity", fidelity != nil),
            ("--re-engagement", reEngagement), ("--nonce", nonce != nil),
            ("--format \(format.rawValue)", format != .json),
        ]
        for option in options where option.isGiven {
            throw CommandFailure(
                "\(option.name): found with --batch, whose lines say what to sign",
                hint: "put it into the lines of the file, as POST /v1/impressions takes them")
        }
    }

    /// The options that the framework and version need and that were not given.
    var missingOptions: [String] {
        options.filter { !$0.isGiven }.map(\.form)
    }

    /// The failure that names all of ``missingOptions``.
    var lackingOptions: CommandFailure {
        let isKeyAlone = missingOptions.count == 1 && !hasKey
        return CommandFailure(
            "expected \(missingOptions.joined(separator: ", "))",
            hint: isKeyAlone ? "skan keys generate key.pem" : "skan help sign")
    }

    /// The options that an impression of the framework and version needs.
    private var options: [(form: String, isGiven: Bool)] {
        let isSKAdNetwork = framework == .skadnetwork
        var options = [
            ("--network ID", network != nil), ("--advertised-app ID", advertisedApp != nil), campaignOption,
        ]
        if isSKAdNetwork {
            options.insert(("--version VERSION", version != nil), at: 0)
        }
        switch version {
        case .v1_0?: break
        case nil where isSKAdNetwork:
            options.append(("--source-app ID (from 2.0)", sourceApp != nil || sourceDomain != nil))
        case .v4_0?:
            options.append(
                ("one of --source-app ID and --source-domain DOMAIN", sourceApp != nil || sourceDomain != nil))
        default: options.append(("--source-app ID", sourceApp != nil))
        }
        return options + [("one of --key FILE and --keys LIST", hasKey)]
    }

    private var campaignOption: (form: String, isGiven: Bool) {
        let isKnown = framework == .adattributionkit || version != nil
        guard isKnown else {
            return ("--source-identifier N (4.0) or --campaign N (up to 3.0)", (sourceIdentifier ?? campaign) != nil)
        }
        return version.map(\.hasSourceIdentifier) ?? true
            ? ("--source-identifier N", sourceIdentifier != nil) : ("--campaign N", campaign != nil)
    }

    private var hasKey: Bool { key != nil || keys.file(besides: key) != nil }

    // MARK: Options that do not fit

    private func refuse(with version: SKAdNetworkVersion) throws {
        let options: [(name: String, isGiven: Bool, hint: String)] = [
            ("--campaign", campaign != nil && version.hasSourceIdentifier, "give --source-identifier"),
            ("--source-identifier", sourceIdentifier != nil && !version.hasSourceIdentifier, "give --campaign"),
            ("--source-app", sourceApp != nil && version == .v1_0, "leave it out"),
            ("--source-domain", sourceDomain != nil && version < .v4_0, "give --source-app"),
            ("--fidelity", fidelity != nil && !version.hasFidelityType, "leave it out"),
        ]
        for option in options where option.isGiven {
            throw CommandFailure(
                "\(option.name): found with --version \(version.rawValue), which does not have it", hint: option.hint)
        }
        if sourceApp != nil, sourceDomain != nil {
            throw CommandFailure(
                "found --source-app and --source-domain, expected one of them",
                hint: "give --source-domain for a web ad, --source-app for an ad in an app")
        }
    }
}
