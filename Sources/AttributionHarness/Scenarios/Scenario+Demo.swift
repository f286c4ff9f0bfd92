extension Scenario {
    /// A month of a network with three apps, which `skan demo` plays.
    ///
    /// - Throws: Never for the file the package has.
    package static func demo() throws -> Scenario {
        try Scenario(file: PackageResources.demo_json)
    }
}
