import Foundation
import Testing

/// Dependencies point downwards only, checked by the imports of every source file.
@Suite("Layers")
struct LayerTests {
    /// From the bottom up. A target may import targets of lower layers, and those of its own layer that it names here.
    private static let layers: [[String]] = [
        ["CNghttp2", "COpenSSL", "CHiredis", "CLinux", "CAPIDocument", "CStoreScripts"],
        ["Encodings", "TimeCore", "FlatMemory"],
        ["LiveActivity", "PoolCore", "HTTP2Core", "MetricsCore", "EventCore"],
        ["Delivery"],
        ["BroadcastCore", "HealthCore", "APNsCore"],
        ["Reactor", "Secrets"],
        ["TLS", "RedisClient"],
        ["RedisServerProcess"],
        ["PushClient", "GatewayStore", "MockAPNs", "GatewayConfiguration", "APIDocument", "TerminalDisplay"],
        ["Broadcasts", "LoadTest", "Webhooks", "APNs"],
        ["GatewayAPI"],
        ["Gateway"],
        ["Demo"],
        ["fanfare"],
    ]

    private static let pure = [
        "Encodings", "TimeCore", "FlatMemory", "LiveActivity", "Delivery", "APNsCore", "PoolCore", "HTTP2Core",
        "BroadcastCore",
        "MetricsCore", "EventCore", "HealthCore",
    ]
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardizedFileURL

    private struct Source {
        let target: String
        let name: String
        let imports: [String]
    }

    private func files() throws -> [Source] {
        let targets = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
        return try targets.flatMap { target -> [Source] in
            let folder = Self.sources.appending(path: target)
            let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            return try names.filter { $0.hasSuffix(".swift") }.map { name in
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                let imports = text.split(separator: "\n").compactMap { line -> String? in
                    let words = line.split(separator: " ")
                    guard let index = words.firstIndex(of: "import"), index + 1 < words.count, index <= 1 else {
                        return nil
                    }
                    return String(words[index + 1])
                }
                return Source(target: target, name: name, imports: imports)
            }
        }
    }

    @Test("Every target is in a layer, and imports only what lies below it")
    func directions() throws {
        let heights = Dictionary(
            uniqueKeysWithValues: Self.layers.enumerated().flatMap { height, names in names.map { ($0, height) } })
        let files = try files()
        #expect(files.count > 100)
        for file in files {
            let height = try #require(heights[file.target], "\(file.target) is in no layer")
            for name in file.imports {
                guard let other = heights[name] else { continue }
                #expect(other < height, "\(file.target)/\(file.name) imports \(name)")
            }
        }
    }

    @Test("Pure targets read no clock, open no file and know no Foundation")
    func purity() throws {
        for file in try files() where Self.pure.contains(file.target) {
            // The clock is read in one place, and HTTP2Core decodes header blocks with libnghttp2: bytes in, bytes out.
            let own = ["TimeCore": ["Glibc"], "HTTP2Core": ["CNghttp2"]]
            let allowed = Self.pure + (own[file.target] ?? [])
            for name in file.imports { #expect(allowed.contains(name), "\(file.target)/\(file.name) imports \(name)") }
        }
    }

    @Test("The mock provider knows neither the pool nor the push client")
    func mockIsIndependent() throws {
        for file in try files() where file.target == "MockAPNs" {
            for name in ["PoolCore", "PushClient", "Delivery", "APNsCore", "APNs"] {
                #expect(!file.imports.contains(name), "\(file.name) imports \(name)")
            }
        }
    }

    @Test(
        "Only the store knows Redis's commands, only GatewayAPI and Gateway the HTTP server, and no load test the gateway"
    )
    func boundaries() throws {
        for file in try files() {
            if file.imports.contains("CNghttp2") { #expect(["HTTP2Core", "MockAPNs"].contains(file.target)) }
            if file.imports.contains("CHiredis") { #expect(file.target == "RedisClient") }
            if file.imports.contains("Hummingbird") { #expect(["GatewayAPI", "Gateway"].contains(file.target)) }
            if file.target == "LoadTest" { #expect(!file.imports.contains { $0.hasPrefix("Gateway") }, "\(file.name)") }
            if file.imports.contains("COpenSSL") {
                #expect(["TLS", "Secrets", "APNs", "MockAPNs", "RedisClient"].contains(file.target))
            }
        }
    }
}
