// swift-tools-version: 6.2

import PackageDescription

// Swift's own libraries are linked into the binary: that saves 8 % of the server's processor time, it starts without a
// toolchain, and what is developed is what ships. The libraries depend on one another in cycles. No target may depend on
// skan, because the framework of the tests loads the shared libraries.
let staticSwiftLibraries =
    ["-static-stdlib", "-Xlinker", "--start-group"]
    + [
        "Foundation", "FoundationInternationalization", "FoundationEssentials", "_FoundationCShims",
        "_FoundationCollections", "CoreFoundation", "_FoundationICU", "dispatch", "BlocksRuntime", "stdc++",
    ].map { "-l\($0)" }
    + ["-Xlinker", "--end-group"]

let package = Package(
    name: "skan",
    products: [
        .executable(name: "skan", targets: ["skan"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .target(name: "CBuild"),
        .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .systemLibrary(name: "CFileSystem"),
        .systemLibrary(name: "CSystemClock"),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .target(name: "Platform", dependencies: ["COpenSSL", .product(name: "Logging", package: "swift-log")]),
        .target(name: "StrictJSON"),
        .target(name: "Attribution", dependencies: ["StrictJSON"]),
        .target(name: "CP256Lanes"),
        .target(name: "FixedKeyECDSA", dependencies: ["CP256Lanes"]),
        .target(name: "CAPIDescription", exclude: ["openapi.yaml"]),
        .target(
            name: "AttributionForwarding",
            dependencies: [
                "Attribution", "AttributionListener", "AttributionSigning", "AttributionStore", "Platform",
                "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AttributionConsole",
            dependencies: [
                "Attribution", "AttributionExplaining", "AttributionIngest", "AttributionListener",
                "AttributionReports", "AttributionSigning", "AttributionStore", "CAPIDescription", "Platform",
                "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AttributionSigning",
            dependencies: [
                "Attribution", "COpenSSL", "FixedKeyECDSA", "Platform", "StrictJSON",
            ]
        ),
        .target(
            name: "AttributionExplaining",
            dependencies: [
                "Attribution", "AttributionSigning", "Platform", "StrictJSON",
            ]
        ),
        .target(name: "AttributionStore", dependencies: ["Attribution", "Platform"]),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "Attribution", "AttributionStore", "CFileSystem", "Platform",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(name: "PostgreSQLStore", dependencies: ["Attribution", "AttributionStore", "CPostgreSQL"]),
        .target(
            name: "AttributionIngest",
            dependencies: [
                "Attribution", "AttributionExplaining", "AttributionSigning", "AttributionStore", "Platform",
                "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AttributionReports",
            dependencies: [
                "Attribution", "AttributionStore", "Platform", "StrictJSON",
            ]
        ),
        .target(
            name: "AttributionListener",
            dependencies: [
                "Attribution", "Platform",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AttributionServer",
            dependencies: [
                "Attribution", "AttributionConsole", "AttributionExplaining", "AttributionForwarding",
                "AttributionIngest", "AttributionListener", "AttributionReports", "AttributionSigning",
                "AttributionStore", "Platform", "PostgreSQLStore", "SQLiteStore", "StrictJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "AttributionHarness",
            dependencies: [
                "Attribution", "AttributionListener", "AttributionSigning", "StrictJSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            resources: [.embedInCode("AppleSigned"), .embedInCode("Demo")]
        ),
        .executableTarget(
            name: "skan",
            dependencies: [
                "Attribution", "AttributionConsole", "AttributionExplaining", "AttributionForwarding",
                "AttributionHarness", "AttributionIngest", "AttributionListener", "AttributionReports",
                "AttributionServer", "AttributionSigning", "AttributionStore", "CBuild", "COpenSSL", "CSystemClock",
                "Platform", "PostgreSQLStore", "SQLiteStore", "StrictJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            linkerSettings: [.unsafeFlags(staticSwiftLibraries, .when(platforms: [.linux]))]
        ),
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .target(
            name: "TestSupport",
            dependencies: [
                "Attribution", "AttributionStore", "CSpawn",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/TestSupport",
            exclude: ["Fixtures"]
        ),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
        .testTarget(
            name: "PlatformTests",
            dependencies: [
                "Attribution", "Platform",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "AttributionTests", dependencies: ["Attribution", "StrictJSON"]),
        .testTarget(
            name: "FixedKeyECDSATests",
            dependencies: [
                "COpenSSL", "CP256Lanes", "FixedKeyECDSA", "StrictJSON",
            ]
        ),
        .testTarget(
            name: "AttributionSigningTests",
            dependencies: [
                "Attribution", "AttributionExplaining", "AttributionHarness", "AttributionSigning", "Platform",
                "StrictJSON",
            ]
        ),
        .testTarget(
            name: "AttributionHarnessTests",
            dependencies: [
                "Attribution", "AttributionHarness", "AttributionListener", "AttributionSigning", "StrictJSON",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "AttributionStoreTests",
            dependencies: [
                "Attribution", "AttributionHarness", "AttributionSigning", "AttributionStore", "PostgreSQLStore",
                "SQLiteStore", "StrictJSON", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "PostgreSQLStoreTests",
            dependencies: [
                "Attribution", "AttributionHarness", "AttributionSigning", "AttributionStore", "PostgreSQLStore",
                "SQLiteStore", "StrictJSON", "TestSupport",
            ]
        ),
        .testTarget(
            name: "AttributionIngestTests",
            dependencies: [
                "Attribution", "AttributionExplaining", "AttributionHarness", "AttributionIngest",
                "AttributionSigning", "AttributionStore", "SQLiteStore", "StrictJSON", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "AttributionForwardingTests",
            dependencies: [
                "Attribution", "AttributionForwarding", "AttributionHarness", "AttributionListener",
                "AttributionSigning", "AttributionStore", "Platform", "SQLiteStore", "StrictJSON", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "AttributionReportsTests",
            dependencies: [
                "Attribution", "AttributionHarness", "AttributionReports", "AttributionSigning", "AttributionStore",
                "SQLiteStore", "StrictJSON", "TestSupport",
            ]
        ),
        .testTarget(
            name: "AttributionConsoleTests",
            dependencies: [
                "Attribution", "AttributionConsole", "AttributionExplaining", "AttributionListener",
                "AttributionReports", "AttributionSigning", "AttributionStore", "StrictJSON", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "AttributionListenerTests",
            dependencies: [
                "AttributionConsole", "AttributionListener", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "AttributionServerTests",
            dependencies: [
                "Attribution", "AttributionConsole", "AttributionExplaining", "AttributionListener",
                "AttributionServer", "AttributionSigning", "AttributionStore", "StrictJSON", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(name: "BoundaryTests"),
        .testTarget(
            name: "skanTests",
            dependencies: [
                "Attribution", "AttributionConsole", "AttributionExplaining", "AttributionHarness",
                "AttributionIngest", "AttributionListener", "AttributionReports", "AttributionServer",
                "AttributionSigning", "AttributionStore", "COpenSSL", "StrictJSON", "TestSupport",
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Fixtures"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// One place gives every target the same settings; to C they mean nothing.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    // A newer compiler or dependency must not keep a user from building.
    if Context.environment["CI"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}
