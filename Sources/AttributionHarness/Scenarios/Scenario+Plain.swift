package import Attribution

extension Scenario {
    /// An ordinary month in both frameworks: three apps, five campaigns that were already running, a few faults.
    package static func plain(days: Int, scale: Double = 1) throws(DocumentProblem) -> Scenario {
        var scenario = try Scenario(file: PackageResources.plain_json)
        scenario.days = days
        scenario.scale(by: scale)
        return scenario
    }

    /// Multiplies all volumes and the sizes of crowds.
    package mutating func scale(by factor: Double) {
        for index in campaigns.indices {
            campaigns[index].installs *= factor
        }
        crowds.tierOne *= factor
        crowds.tierTwo *= factor
        crowds.tierThree *= factor
        crowds.single *= factor
        crowds.country *= factor
    }

    /// Multiplies the shares of all faults.
    package mutating func scaleFaults(by factor: Double) {
        for index in faults.indices {
            faults[index].share = min(1, faults[index].share * factor)
        }
    }

    /// Two months of a network with three apps, for `skan demo`: a month, and the one before to compare it with.
    package static func demo() throws(DocumentProblem) -> Scenario {
        try Scenario(file: PackageResources.demo_json)
    }

    /// The ids of the networks whose campaigns it has, in postbacks of any version.
    package var ownNetworks: [String] {
        Set(campaigns.map { networks[$0.network] }).flatMap { Set([$0.id, $0.adAttributionKitID ?? $0.id]) }.sorted()
    }

    /// What the campaigns and apps of ``demo()`` are called, as a file of `skan serve --campaigns`.
    package static var demoNames: [UInt8] { PackageResources.demo_names_json }
    /// What its conversion values mean, as a file of `skan serve --schema`.
    package static var demoSchema: [UInt8] { PackageResources.demo_schema_json }
}
