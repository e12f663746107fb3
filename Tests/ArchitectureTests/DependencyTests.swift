import Foundation
import Testing

/// The allowed dependencies of targets. Every import is checked against the manifest.
@Suite("Dependencies")
struct DependencyTests {
    private let manifest: Manifest

    init() throws { manifest = try Manifest.package.get() }

    /// Modules of the system, which targets do not declare.
    private static let system: Set = ["Foundation", "Glibc", "Synchronization", "Dispatch", "Testing"]
    /// Modules that come with a product because its interface uses their types.
    private static let brought = [
        "HTTPTypes": "Hummingbird", "NIOHTTPTypesHTTP1": "HummingbirdCore", "Instrumentation": "Tracing",
    ]

    /// Returns the modules that a target imports undeclared, and those that it declares without need.
    private static func differences(
        _ declared: Set<String>, executables: Set<String>, imports: Set<String>
    ) -> (undeclared: Set<String>, unused: Set<String>) {
        let undeclared = imports.subtracting(declared).subtracting(system)
            .filter { module in brought[module].map { !declared.contains($0) } ?? true }
        // An imported module counts as a use of the product that brings it. Executables are run without an import.
        let used = imports.union(imports.compactMap { brought[$0] }).union(executables)
        return (undeclared, declared.subtracting(used))
    }

    @Test("Every target declares what it imports, and imports what it declares")
    func declarations() throws {
        let files = Dictionary(grouping: try SourceFile.all(of: manifest), by: \.target.name)
        let executables = Set(manifest.targets.filter { $0.type == "executable" }.map(\.name))
        #expect(files.count > 50)
        for (name, files) in files {
            let declared = Set(manifest.target(name)?.dependencies.map(\.name) ?? [])
            let imports = files.reduce(into: Set<String>()) { $0.formUnion($1.imports) }
            let found = Self.differences(declared, executables: executables, imports: imports)
            for module in found.undeclared.sorted() {
                let file = files.first { $0.imports.contains(module) }?.path ?? ""
                Issue.record("\(name) does not declare \(module), which \(file) imports")
            }
            for module in found.unused.sorted() { Issue.record("\(name) declares \(module), and imports it nowhere") }
        }
    }

    @Test("An undeclared and an unused dependency are found")
    func finding() {
        let imports = SourceFile.imports(
            in: "import A\npublic import B\n@testable import C\nimport struct D.E\n// import F\n    import G\n")
        #expect(imports == ["A", "B", "C", "D"])
        let found = Self.differences(
            ["A", "B", "G", "run", "Tracing"], executables: ["run"],
            imports: imports.union(["Glibc", "Instrumentation", "HTTPTypes"]))
        #expect(found.undeclared == ["C", "D", "HTTPTypes"] && found.unused == ["G"])
    }

    // MARK: Allowed dependencies

    /// True if the target is of the core layer, which has no side effects.
    private func isPure(_ name: String) -> Bool { manifest.target(name)?.layer == "Core" }

    @Test("Pure targets are built on pure ones alone, read no clock, open no file and know no Foundation")
    func purity() throws {
        // TimeCore reads the clock, HTTP2Core decodes header blocks with libnghttp2 in memory, and one file draws
        // random identifiers.
        let own = ["TimeCore": ["Glibc"], "HTTP2Core": ["CNghttp2"]]
        let ofFiles = ["Sources/Core/LiveActivity/Identifiers/RandomWords.swift": ["Glibc"]]
        let files = try SourceFile.all(of: manifest).filter { isPure($0.target.name) }
        #expect(files.count > 100)
        for file in files {
            for module in file.imports where !isPure(module) {
                let allowed = own[file.target.name] ?? ofFiles[file.path] ?? []
                #expect(allowed.contains(module), "\(file.path) imports \(module)")
            }
        }
    }

    @Test("The decisions about a sync are pure beside their driver")
    func pureFiles() throws {
        let files = try SourceFile.all(of: manifest).filter { $0.path.contains("/Reports/SyncMachine") }
        #expect(files.count == 3)
        for file in files { #expect(file.imports.allSatisfy(isPure), "\(file.path)") }
    }

    @Test("The product is built on nothing of tests and benchmarks")
    func product() {
        let others = Set(manifest.targets.filter { !$0.isOfProduct && $0.type != "system" }.map(\.name))
        for target in manifest.targets where target.isOfProduct {
            #expect(manifest.everythingBelow(target.name).isDisjoint(with: others), "\(target.name)")
        }
    }

    @Test("A mock of a provider is built on nothing of what it checks", arguments: ["MockAPNs", "MockFCM"])
    func mockIsIndependent(_ mock: String) {
        let below = manifest.everythingBelow(mock)
        #expect(below.contains("CNghttp2"))
        for name in ["APNs", "APNsCore", "Delivery", "FCMCore", "HTTP2Core", "PoolCore", "PushClient"] {
            #expect(!below.contains(name), "\(mock) is built on \(name)")
        }
    }

    @Test(
        "Only the store knows Redis's commands, only GatewayAPI and Gateway the HTTP server, and no load test the gateway",
        arguments: [
            ("CNghttp2", ["HTTP2Core", "MockKit"]), ("CHiredis", ["RedisClient"]),
            ("Hummingbird", ["GatewayAPI", "Gateway"]), ("CStoreScripts", ["GatewayStore"]),
            ("COpenSSL", ["TLS", "Secrets", "APNs", "MockAPNs", "MockKit", "RedisClient"]),
        ])
    func boundaries(module: String, users: [String]) {
        let found = manifest.targets.filter { $0.isOfProduct && $0.dependencies.contains { $0.name == module } }
        #expect(Set(found.map(\.name)) == Set(users))
        #expect(!manifest.everythingBelow("LoadTest").contains { $0.hasPrefix("Gateway") })
    }
}
