// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target of the product. Dependencies point downwards only: C, pure, I/O, parts, whole, run.
func part(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func library(_ name: String, pkgConfig: String?, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

let package = Package(
    name: "fanfare",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "fanfare", targets: ["fanfare"])
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C: module maps and shims for macros, nothing else.
        library("CNghttp2", pkgConfig: "libnghttp2", "libnghttp2-dev"),
        library("COpenSSL", pkgConfig: "openssl", "libssl-dev"),
        // Its pkg-config flags hold a definition that the package manager refuses, and nothing that is needed.
        library("CHiredis", pkgConfig: nil, "libhiredis-dev"),
        .systemLibrary(name: "CLinux"),

        // Pure: no clock, no I/O.
        part("TimeCore"),
        part("LiveActivity", ["TimeCore"]),
        part("PushProtocol"),
        part("PoolCore", ["TimeCore"]),
        part("BroadcastCore", ["PushProtocol", "TimeCore"]),

        // I/O: one thread, its timers, its sockets.
        part("Reactor", ["TimeCore", "CLinux"]),
        part("TLS", ["Reactor", "TimeCore", "COpenSSL"]),
        part("RedisClient", ["Reactor", "TimeCore", "CHiredis", "COpenSSL", "CLinux"]),
        part("RedisServerProcess", ["Reactor", "TimeCore", "RedisClient", "CLinux"]),
        part("Secrets", ["COpenSSL"]),

        // Parts.
        part("PushClient", ["PushProtocol", "PoolCore", "TLS", "Reactor", "TimeCore", "CNghttp2", "COpenSSL"]),
        part("GatewayStore", ["LiveActivity", "Reactor", "RedisClient", "Secrets", "TimeCore"]),
        part(
            "Broadcasts",
            ["BroadcastCore", "GatewayStore", "LiveActivity", "PushClient", "PushProtocol", "Reactor", "TimeCore"]),
        part(
            "GatewayAPI",
            [
                "BroadcastCore", "Broadcasts", "GatewayStore", "LiveActivity", "Reactor", "TimeCore", hummingbird,
                hummingbirdCore, logging,
            ]),
        part("GatewayConfiguration", [configuration, yaml]),
        part("TerminalDisplay"),
        part("MockAPNs", ["CNghttp2", "COpenSSL", "LiveActivity", "Reactor", "TLS", "TimeCore"]),

        // The whole.
        part(
            "Gateway",
            [
                "Broadcasts", "GatewayAPI", "GatewayStore", "PushClient", "Reactor", "RedisClient", "TimeCore",
                hummingbird,
                hummingbirdCore, lifecycle, logging,
            ]),
        part(
            "Demo",
            [
                "Gateway", "GatewayAPI", "GatewayStore", "LiveActivity", "MockAPNs", "PushClient", "RedisServerProcess",
                "TLS", "TimeCore",
                histogram, httpClient, logging,
            ]),
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "Demo", "Gateway", "GatewayAPI", "GatewayConfiguration", "GatewayStore", "LiveActivity", "MockAPNs",
                "PushClient", "Reactor", "RedisClient", "RedisServerProcess", "TLS", "TerminalDisplay",
                "TimeCore", arguments, logging, signals,
            ],
            swiftSettings: settings),

        // Tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        tests("ArchitectureTests", []),
        tests("FanfareTests", ["fanfare"]),
        tests("GatewayConfigurationTests", ["GatewayConfiguration"]),
        tests("TerminalDisplayTests", ["TerminalDisplay"]),
        tests("TimeCoreTests", ["TestSupport", "TimeCore"]),
        tests("ReactorTests", ["TestSupport", "Reactor", "TimeCore"]),
        tests("TLSTests", ["TestSupport", "COpenSSL", "Reactor", "TLS", "TimeCore"]),
        tests("BroadcastCoreTests", ["TestSupport", "BroadcastCore", "PushProtocol", "TimeCore"]),
        tests(
            "GatewayStoreTests",
            [
                "TestSupport", "COpenSSL", "GatewayStore", "LiveActivity", "Reactor", "RedisClient",
                "RedisServerProcess", "TimeCore",
            ]),
        tests("LiveActivityTests", ["TestSupport", "LiveActivity", "TimeCore"], resources: [.copy("Resources")]),
        tests(
            "MockAPNsTests", ["CNghttp2", "COpenSSL", "LiveActivity", "MockAPNs", "Reactor", "TLS", "TimeCore"]),
        .target(
            name: "TestProvider", dependencies: ["CNghttp2", "Reactor", "TLS", "TimeCore"], path: "Tests/TestProvider",
            swiftSettings: settings),
        tests("PushProtocolTests", ["TestSupport", "PushProtocol"]),
        tests("PoolCoreTests", ["TestSupport", "PoolCore", "TimeCore"]),
        tests(
            "PushClientTests",
            ["TestSupport", "MockAPNs", "PushClient", "PushProtocol", "Reactor", "TLS", "TestProvider", "TimeCore"]),
        tests("RedisClientTests", ["Reactor", "RedisClient", "RedisServerProcess", "TimeCore"]),
        tests(
            "GatewayTests",
            [
                "Gateway", "GatewayAPI", "GatewayStore", "LiveActivity", "MockAPNs", "PushClient", "Reactor",
                "RedisClient",
                "RedisServerProcess", "Secrets", "TLS", "TimeCore", httpClient,
            ]),
    ]
)
