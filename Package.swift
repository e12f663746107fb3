// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with. A warning is an error in debug builds, which is what all tests run; whoever builds
/// a release with a later compiler, which warns of more, still gets one.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error, .when(configuration: .debug)),
]

/// The same for what is written in C.
let strict: [CSetting] = [
    .unsafeFlags(["-Wall", "-Wextra"], .when(configuration: .debug)),
    .treatAllWarnings(as: .error, .when(configuration: .debug)),
]

/// For the targets that a push, or a report of a device, passes through. Accesses to properties of classes are checked
/// for exclusivity at run time in debug builds, which is what all tests run; in release builds the checks would be a seventh of what a push costs.
let pathOfPush: [SwiftSetting] =
    settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// For the targets in which the tests spend most of their time. Debug builds optimize them and keep their assertions.
let optimized: [SwiftSetting] = [
    .unsafeFlags(["-O", "-Xfrontend", "-assert-config", "-Xfrontend", "Debug"], .when(configuration: .debug))
]

/// Returns a target of the product.
///
/// - Parameters:
///   - onPathOfPush: Whether every push passes through the target.
///   - optimizedInTests: Whether debug builds optimize the target.
func part(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], onPathOfPush: Bool = false,
    optimizedInTests: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: (onPathOfPush ? pathOfPush : settings) + (optimizedInTests ? optimized : []))
}

/// The folders of GatewayStore that have Lua files, from which `make generate` writes `CStoreScripts`.
let storeFeatures = [
    "Activities", "Broadcasts", "Channels", "Devices", "Erasure", "Events", "Feeds", "Idempotency", "Jobs", "Layout",
    "Locks", "ProviderTokens", "Quotas", "Reading", "Reports", "Restarts", "Roster", "Schedules", "Segments", "Tenants",
    "Topics",
]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A layer: its targets are in its folder. Whoever adds a target adds a line to its layer.
func layer(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    return targets
}

func library(_ name: String, pkgConfig: String?, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nio = [nioCore, nioPosix, nioHTTP1]
let nioProtocols = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

/// Module maps, and shims for macros and kernel calls, nothing else.
let c = layer(
    "C",
    [
        library("CNghttp2", pkgConfig: "libnghttp2", "libnghttp2-dev"),
        library("COpenSSL", pkgConfig: "openssl", "libssl-dev"),
        // Its pkg-config flags hold a definition that the package manager refuses, and nothing that is needed.
        library("CHiredis", pkgConfig: nil, "libhiredis-dev"),
        library("CZlib", pkgConfig: "zlib", "zlib1g-dev"),
        .systemLibrary(name: "CLinux"),
        // What the executable is built from.
        .target(name: "CBuild", cSettings: strict),
        // What it does without.
        .target(name: "CICUData", cSettings: strict),
    ])

/// Pure, without clock or I/O.
let core = layer(
    "Core",
    [
        part("TimeCore"),
        part("FlatMemory", onPathOfPush: true, optimizedInTests: true),
        part("Encodings", onPathOfPush: true, optimizedInTests: true),
        part("LiveActivity", ["Encodings", "TimeCore"], optimizedInTests: true),
        part("Delivery", ["LiveActivity", "TimeCore"], onPathOfPush: true),
        part("RosterCore", ["Encodings", "Delivery", "LiveActivity"], onPathOfPush: true),
        part("APNsCore", ["Encodings", "Delivery", "LiveActivity", "TimeCore"]),
        part("FCMCore", ["Encodings", "Delivery", "LiveActivity", "TimeCore"]),
        part("EventCore", ["Encodings", "ShareCore", "TimeCore"]),
        part("FeedCore", ["TimeCore"]),
        part("ShareCore", ["TimeCore"], onPathOfPush: true),
        part("ConnectionCore", ["Encodings"]),
        part("PoolCore", ["TimeCore"], onPathOfPush: true),
        part("HTTP2Core", ["Encodings", "CNghttp2", "FlatMemory", "TimeCore"], onPathOfPush: true),
        part("BroadcastCore", ["FlatMemory", "Delivery", "TimeCore"], onPathOfPush: true),
        part("HealthCore", ["Delivery", "TimeCore"], onPathOfPush: true),
        part("MetricsCore", ["FlatMemory"], onPathOfPush: true),
    ])

/// One thread, its timers, its sockets.
let io = layer(
    "IO",
    [
        part("Reactor", ["Encodings", "TimeCore", "CLinux"], onPathOfPush: true, optimizedInTests: true),
        part("TLS", ["Encodings", "Reactor", "FlatMemory", "TimeCore", "COpenSSL"], onPathOfPush: true),
        part(
            "RedisClient",
            ["Encodings", "FlatMemory", "MetricsCore", "Reactor", "TLS", "TimeCore", "CHiredis", "COpenSSL", "CLinux"],
            onPathOfPush: true, optimizedInTests: true),
        part("RedisServerProcess", ["Reactor", "TimeCore", "RedisClient", "CLinux"]),
        part("Secrets", ["Encodings", "COpenSSL"]),
    ])

/// What sends pushes, and what speaks HTTP/2 for it.
let providers = layer(
    "Providers",
    [
        part("Connecting", ["Encodings", "Reactor", "TLS", "TimeCore"]),
        part("HTTPCalls", ["Encodings", "Reactor", "TimeCore", httpClient, nioHTTP2, nioTLS] + nio),
        part(
            "PushClient",
            [
                "Connecting", "Encodings", "Delivery", "FlatMemory", "HealthCore", "HTTP2Core", "HTTPCalls",
                "MetricsCore", "PoolCore", "TLS", "Reactor", "TimeCore",
            ],
            onPathOfPush: true),
        part(
            "APNs",
            [
                "Encodings", "APNsCore", "Connecting", "Delivery", "HTTP2Core", "HTTPCalls", "LiveActivity",
                "PushClient", "Reactor", "Secrets", "TimeCore", "COpenSSL",
            ]),
        part(
            "FCM",
            [
                "Connecting", "Encodings", "Delivery", "FCMCore", "HTTP2Core", "HTTPCalls", "LiveActivity",
                "PushClient", "Reactor", "Secrets", "TLS", "TimeCore",
            ],
            onPathOfPush: true),
    ])

/// Everything that knows what is in Redis.
let store = layer(
    "Store",
    [
        // The Lua files of the store as bytes, for the same reason as the API's document.
        .target(name: "CStoreScripts", cSettings: strict),
        part(
            "GatewayStore",
            [
                "Encodings", "CStoreScripts", "EventCore", "FeedCore", "LiveActivity", "Delivery", "Reactor",
                "RedisClient", "RosterCore", "Secrets",
                "TimeCore",
            ],
            exclude: storeFeatures.map { "\($0)/Lua" }, onPathOfPush: true),
    ])

/// What serves customers and devices, broadcasts, and delivers events.
let gateway = layer(
    "Gateway",
    [
        part("LineLog", ["Encodings", "LiveActivity", "Reactor", "TimeCore", logging]),
        part(
            "Broadcasts",
            [
                "BroadcastCore", "Delivery", "FlatMemory", "GatewayStore", "LiveActivity", "MetricsCore", "Reactor",
                "RosterCore", "ShareCore", "TimeCore",
            ],
            onPathOfPush: true),
        part(
            "Webhooks",
            [
                "Encodings", "EventCore", "GatewayStore", "LiveActivity", "MetricsCore", "Reactor",
                "ShareCore", "TimeCore", nioTLS,
            ] + nio),
        part(
            "Feeds",
            [
                "FeedCore", "GatewayStore", "HTTPCalls", "LiveActivity", "Reactor", "Secrets", "TimeCore", logging,
            ]),
        part(
            "GatewayConfiguration",
            [
                "APNsCore", "Connecting", "ConnectionCore", "Encodings", "FCMCore", "FeedCore", "RedisClient",
                "RedisServerProcess", "Secrets", configuration, yaml,
            ]),
        // Files of docs/ as bytes: no bundle lies beside the executable.
        .target(name: "CAPIDocument", cSettings: strict),
        // The console's page, likewise.
        .target(name: "CConsoleAssets", exclude: ["assets"], cSettings: strict),
        part("APIDocument", ["CAPIDocument", "Encodings", "Secrets", yaml]),
        part(
            "GatewayAPI",
            [
                "APIDocument", "CConsoleAssets", "CZlib",
                "Broadcasts", "ConnectionCore", "Delivery", "Encodings", "EventCore", "FeedCore", "FlatMemory",
                "GatewayStore", "LineLog", "LiveActivity", "MetricsCore", "Reactor", "RosterCore", "Secrets",
                "ShareCore",
                "TimeCore",
                hummingbird, hummingbirdCore, logging,
                nioCore,
                nioHTTP1, tracing,
            ], onPathOfPush: true),
        part(
            "Gateway",
            [
                "APNs", "APNsCore",
                "Broadcasts", "CLinux", "ConnectionCore", "Encodings", "FCM", "FeedCore", "Feeds", "GatewayAPI",
                "GatewayStore", "HTTP2Core",
                "LineLog", "LiveActivity", "MetricsCore",
                "PushClient", "Delivery", "Reactor", "RedisClient", "Secrets", "TLS", "TimeCore", "Webhooks",
                hummingbird, hummingbirdCore, lifecycle, logging, nioCore, nioPosix, nioProtocols, nioTLS, tracing,
            ]),
    ])

/// What stands beside the gateway.
let tools = layer(
    "Tools",
    [
        part("TerminalDisplay"),
        part("ScrapedMetrics", [httpClient, nioCore, nioHTTP1, nioPosix]),
        part("PhoneModel", ["Encodings", "LiveActivity"]),
        part(
            "MockKit", ["CNghttp2", "COpenSSL", "Encodings", "LiveActivity", "Reactor", "TLS", "TimeCore"],
            optimizedInTests: true),
        part("MockFeed", ["LiveActivity", "MockKit", "Reactor", "TimeCore", nioTLS] + nio),
        part("MockFCM", ["Encodings", "LiveActivity", "MockKit", "TimeCore"]),
        part(
            "MockAPNs", ["COpenSSL", "Encodings", "LiveActivity", "MockKit", "Reactor", "TimeCore"],
            optimizedInTests: true),
        part(
            "LoadTest",
            [
                "Encodings", "LiveActivity", "PhoneModel", "Secrets",
                "TerminalDisplay", "TimeCore", heap, histogram, httpClient, nioProtocols, nioTLS,
            ] + nio),
        part(
            "Demo",
            [
                "Encodings", "APNs", "FCM",
                "Feeds", "Gateway", "GatewayAPI", "GatewayStore", "LiveActivity", "MockAPNs", "MockFCM", "MockFeed",
                "PhoneModel", "PushClient", "Reactor", "RedisClient", "RedisServerProcess",
                "TLS", "TimeCore",
                histogram, httpClient, logging, nioCore, nioHTTP1,
            ]),
    ])

/// The command line.
let command = layer(
    "Command",
    [
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "APNs",
                "Broadcasts", "CBuild", "CICUData", "ConnectionCore", "Demo", "Encodings", "EventCore", "FCM",
                "FeedCore", "Feeds",
                "Gateway",
                "GatewayAPI",
                "GatewayConfiguration",
                "GatewayStore",
                "LineLog",
                "LiveActivity",
                "LoadTest",
                "MockAPNs", "MockFCM", "MockFeed", "MockKit", "PushClient", "Reactor", "RedisClient",
                "RedisServerProcess", "ScrapedMetrics", "TLS", "TerminalDisplay",
                "Secrets", "TimeCore", "Webhooks", arguments, logging, signals, yaml,
            ],
            swiftSettings: settings)
    ])

/// What apps are built with. It runs on phones, and so stands on none of the layers above.
let clients = layer(
    "Clients",
    [
        .target(
            name: "FanfareDevice", swiftSettings: settings + [.enableUpcomingFeature("InternalImportsByDefault")])
    ])

/// What is built for people, layer upon layer. A target is built on those of its own layer and of the layers in front of
/// it alone.
let product = [c, core, io, providers, store, gateway, tools, command].flatMap { $0 }

let package = Package(
    name: "fanfare",
    platforms: [.macOS(.v15), .iOS("16.2")],
    products: [
        .executable(name: "fanfare", targets: ["fanfare"]),
        .library(name: "FanfareDevice", targets: ["FanfareDevice"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: product + clients + [
        // Benchmarks: what `make bench` runs.
        .executableTarget(
            name: "hot-path",
            dependencies: [
                "BroadcastCore", "Delivery", "FlatMemory", "HTTP2Core", "LiveActivity", "RosterCore", "TimeCore",
            ],
            path: "Benchmarks/HotPath", exclude: ["baseline.txt"], swiftSettings: settings),
        .executableTarget(
            name: "push-benchmark",
            dependencies: [
                "APNs", "APNsCore", "Delivery", "FCM", "LiveActivity", "PushClient", "Reactor", "TLS", "TimeCore",
                arguments,
            ],
            path: "Benchmarks/PushBenchmark", swiftSettings: settings),
        .executableTarget(
            name: "store-benchmark",
            dependencies: [
                "BroadcastCore", "Delivery", "GatewayStore", "LiveActivity", "Reactor", "RedisClient",
                "RedisServerProcess", "RosterCore", "TimeCore",
            ],
            path: "Benchmarks/StoreBenchmark", swiftSettings: settings),

        // Tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "TestCertificates", dependencies: ["COpenSSL"], path: "Tests/TestCertificates",
            swiftSettings: settings),
        .target(
            name: "TestStore",
            dependencies: ["Reactor", "RedisClient", "RedisServerProcess", "TestCertificates", "TimeCore"],
            path: "Tests/TestStore", swiftSettings: settings),
        tests("ArchitectureTests", []),
        tests(
            "FanfareTests",
            [
                "fanfare", "RedisClient", "RedisServerProcess", "TestCertificates", "TestStore", "TestSupport",
                "TimeCore",
            ]),
        tests("APIDocumentTests", ["APIDocument"]),
        tests("FanfareDeviceTests", ["FanfareDevice"]),
        tests("EncodingsTests", ["Encodings", "TestSupport"]),
        tests(
            "GatewayConfigurationTests",
            ["Encodings", "FeedCore", "GatewayConfiguration", "TestCertificates", "TestSupport"]),
        tests("TerminalDisplayTests", ["TerminalDisplay"]),
        tests("EventCoreTests", ["Encodings", "EventCore", "TimeCore"]),
        tests("FeedCoreTests", ["FeedCore", "TestSupport", "TimeCore"]),
        tests(
            "FeedsTests",
            ["FeedCore", "Feeds", "GatewayStore", "LiveActivity", "MockFeed", "Reactor", "TimeCore", nioHTTP1]),
        tests("PhoneModelTests", ["PhoneModel"]),
        tests("MockFeedTests", ["MockFeed", "MockKit", "TimeCore", nioHTTP1]),
        tests("TimeCoreTests", ["TestSupport", "TimeCore"]),
        tests("ReactorTests", ["TestSupport", "Reactor", "TimeCore"]),
        tests(
            "TLSTests",
            ["Encodings", "TestCertificates", "TestSupport", "COpenSSL", "Reactor", "TLS", "TimeCore"]),
        tests("BroadcastCoreTests", ["APNsCore", "TestSupport", "BroadcastCore", "Delivery", "TimeCore"]),
        tests(
            "GatewayStoreTests",
            [
                "Encodings", "EventCore", "TestStore", "TestSupport", "Delivery", "FeedCore", "GatewayStore",
                "LiveActivity",
                "Reactor",
                "RedisClient",
                "RedisServerProcess", "RosterCore", "Secrets", "TimeCore",
            ]),
        tests(
            "LiveActivityTests", ["Encodings", "TestSupport", "LiveActivity", "TimeCore"],
            resources: [.copy("Resources")]),
        tests(
            "LoadTestTests",
            [
                "Encodings", "LiveActivity", "LoadTest", "PhoneModel", "Secrets", "TerminalDisplay", "TestSupport",
                "TimeCore",
            ]
                + nio),
        .target(
            name: "TestHTTP2Client", dependencies: ["CNghttp2", "Reactor", "TLS", "TimeCore"],
            path: "Tests/TestHTTP2Client", swiftSettings: settings),
        tests(
            "MockAPNsTests",
            [
                "COpenSSL", "LiveActivity", "MockAPNs", "MockKit", "Reactor", "TLS", "TestHTTP2Client", "TestSupport",
                "TimeCore",
            ]),
        tests("MockFCMTests", ["COpenSSL", "LiveActivity", "MockFCM", "MockKit", "TestHTTP2Client", "TimeCore"]),
        .target(
            name: "TestProvider", dependencies: ["CNghttp2", "Reactor", "TLS", "TimeCore"], path: "Tests/TestProvider",
            swiftSettings: settings),
        tests(
            "HTTPCallsTests",
            [
                "CNghttp2", "Encodings", "HTTPCalls", "MockFeed", "Reactor", "TestProvider", "TimeCore",
            ]),
        tests(
            "FCMTests",
            [
                "Delivery", "FCM", "FCMCore", "HTTP2Core", "LiveActivity", "PushClient", "Reactor", "Secrets", "TLS",
                "TestProvider", "TimeCore",
            ]),
        tests("APNsCoreTests", ["APNsCore", "Delivery", "LiveActivity", "TestSupport", "TimeCore"]),
        tests("FCMCoreTests", ["FCMCore", "Delivery", "LiveActivity", "TestSupport", "TimeCore"]),
        tests("DeliveryTests", ["Delivery", "LiveActivity", "TimeCore"]),
        tests(
            "HTTP2CoreTests", ["CNghttp2", "FlatMemory", "HTTP2Core", "TestSupport", "TimeCore"],
            resources: [.copy("Resources")]),
        tests("ShareCoreTests", ["ShareCore", "TestSupport", "TimeCore"]),
        tests("PoolCoreTests", ["TestSupport", "PoolCore", "TimeCore"]),
        tests("ConnectionCoreTests", ["ConnectionCore", "Encodings", "TestSupport"]),
        tests("HealthCoreTests", ["HealthCore", "Delivery", "TestSupport", "TimeCore"]),
        tests("MetricsCoreTests", ["MetricsCore", "ScrapedMetrics", "TestSupport"]),
        tests(
            "PushClientTests",
            [
                "APNs", "APNsCore", "Encodings", "LiveActivity", "TestSupport", "MockAPNs", "PushClient", "Delivery",
                "Reactor", "TLS", "TestProvider", "TimeCore",
            ]),
        tests(
            "ProviderTokenTests",
            [
                "APNs", "APNsCore", "GatewayStore", "LiveActivity", "MockAPNs", "PushClient", "Delivery", "Reactor",
                "RedisClient", "RedisServerProcess", "TLS", "TimeCore",
            ]),
        tests("SecretsTests", ["Secrets", "TestProvider"]),
        tests(
            "RedisClientTests",
            [
                "CHiredis", "Reactor", "RedisClient", "RedisServerProcess", "TestCertificates", "TestStore",
                "TestSupport",
                "TimeCore",
            ]),
        tests(
            "GatewayAPITests",
            [
                "Broadcasts", "Delivery", "Encodings", "EventCore", "GatewayAPI",
                "GatewayStore", "LiveActivity", "Secrets", "TestSupport", "TimeCore", hummingbird, logging,
                nioCore, .product(name: "NIOEmbedded", package: "swift-nio"), nioHTTP1,
            ]),
        tests(
            "GatewayTests",
            [
                "Encodings", "TerminalDisplay",
                "APNs", "APNsCore", "APIDocument", "MockKit", "TestStore", "BroadcastCore", "Broadcasts",
                "ConnectionCore", "Delivery",
                "EventCore", "FCM", "FeedCore", "Feeds", "Gateway", "HTTP2Core", "MockFeed",
                "GatewayAPI", "GatewayStore", "LineLog", "LiveActivity",
                "LoadTest", "MockAPNs", "MockFCM", "PhoneModel", "PushClient", "Reactor", "RedisClient",
                "RedisServerProcess", "RosterCore",
                "Secrets", "TLS", "TestCertificates",
                "ScrapedMetrics", "TestSupport", "TimeCore", "Webhooks", httpClient, hummingbird, hummingbirdCore,
                logging, nioTLS, tracing,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
    ]
)
