// swift-tools-version: 6.2

import PackageDescription

// The benchmark runs the built binary as its users do. Of the product it compiles the verification, through links
// beside its own: depending on the whole package would build the server's dependencies a second time.
let package = Package(
    name: "skan-benchmarks",
    targets: [
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CP256Lanes"),
        .target(name: "FixedKeyECDSA", dependencies: ["CP256Lanes"]),
        .executableTarget(name: "skan-bench", dependencies: ["COpenSSL", "CSQLite", "CLinux", "FixedKeyECDSA"]),
    ],
    swiftLanguageModes: [.v6]
)

// One place gives every Swift target the same settings.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
