import Attribution

/// The figures that sections share; those of plain reports have the same names there.
extension CountsFigure {
    package static let postbacks = count(
        "postbacks", "Postbacks", .signed, "Verified postbacks, each counted once."
    ) { $0[.postbacks] }
    package static let installs = count(
        "installs", "Installs", .signed,
        "First postbacks of winners, new installs and redownloads; versions before 3.0 have winners only."
    ) {
        $0[.installs]
    }

    // MARK: Redownloads

    package static let newInstalls = count(
        "new-installs", "New installs", .signed,
        "Installs by people who never had the app; version 1.0 does not sign it."
    ) { $0[.newInstalls] }
    package static let redownloads = count(
        "redownloads", "Redownloads", .signed,
        "Installs by people who had the app before; version 1.0 does not sign it."
    ) { $0[.redownloads] }
    package static let redownloadKnown = count(
        "redownload-known", "Kind known", .signed,
        "Installs that say whether they are redownloads; version 1.0 may leave it out."
    ) { $0.knownRedownloads }
    package static let redownloadUnproven = count(
        "redownload-unproven", "Kind not signed", .signed,
        "Those of version 1.0, which does not sign whether they are redownloads."
    ) { $0[.unprovenRedownloads] }
    package static let redownloadRate = rate(
        "redownload-rate", "Redownload rate", .signed, "Redownloads per install whose kind is known.",
        of: redownloadKnown
    ) { $0[.redownloads] }

    // MARK: Wins and losses

    package static let wins = count(
        "wins", "Won", .signed, "First postbacks with did-win true, from version 3.0 on."
    ) { $0[.wins] }
    package static let losses = count(
        "losses", "Lost", .signed, "Postbacks with did-win false: another network won the install."
    ) { $0[.losses] }
    package static let decided = count(
        "decided", "Won or lost", .signed, "The sum of won and lost."
    ) { $0[.wins] + $0[.losses] }
    package static let winRate = rate(
        "win-rate", "Win rate", .signed, "The share of won in won and lost.", of: decided
    ) { $0[.wins] }

    // MARK: Conversion values

    package static let conversionNull = count(
        "conversion-null", "No value", .unsigned,
        "Installs without a conversion value, absent or null; not the value 0."
    ) { $0.nullConversions }
    package static let nullRate = rate(
        "null-rate", "No value, rate", .unsigned, "The share of installs without a conversion value.", of: installs
    ) { $0.nullConversions }
    package static let conversionFine = count(
        "conversion-fine", "Fine values", .unsigned, "Installs with a conversion value from 0 to 63."
    ) {
        $0.fineConversions
    }
    package static let conversionMean = CountsFigure(
        ReportSectionColumn(
            "conversion-mean", "Fine value, mean", .mean, .unsigned, "The mean of the fine values of installs.",
            denominator: "conversion-fine")
    ) { .average($0.fineConversionSum, of: $0.fineConversions) }

    // MARK: Windows and re-engagements

    package static let secondWindow = count(
        "window-2", "Second window", .signed, "Second postbacks of installs; the install was counted before."
    ) {
        $0[.secondWindow]
    }
    package static let thirdWindow = count(
        "window-3", "Third window", .signed, "Third postbacks of installs; the install was counted before."
    ) {
        $0[.thirdWindow]
    }
    package static let reengagements = count(
        "re-engagements", "Re-engagements", .signed,
        "First postbacks of re-engagements of AdAttributionKit, which are not installs."
    ) { $0[.reengagements] }
    package static let laterReengagements = count(
        "re-engagements-later", "Later windows", .signed, "Second and third postbacks of re-engagements."
    ) {
        $0[.laterReengagements]
    }
    package static let reengagementNull = count(
        "re-engagement-null", "No value", .unsigned, "Re-engagements without a conversion value, absent or null."
    ) {
        $0.nullReengagements
    }
    package static let reengagementNullRate = rate(
        "re-engagement-null-rate", "No value, rate", .unsigned,
        "The share of re-engagements without a conversion value.", of: reengagements
    ) { $0.nullReengagements }
}
