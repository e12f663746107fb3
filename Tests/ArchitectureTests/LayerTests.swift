import Foundation
import Testing

/// The folders under `Sources` are layers. The manifest lists them from the lowest to the highest. A target depends
/// only on its own layer and lower ones.
@Suite("Layers")
struct LayerTests {
    private struct Member {
        let name: String
        let layer: String
        let dependencies: Set<String>
    }

    /// Returns the layers in the manifest's order, and the violations.
    private static func order(_ members: [Member]) -> (layers: [String], findings: [String]) {
        var layers: [String] = []
        var findings: [String] = []
        for member in members where layers.last != member.layer {
            if layers.contains(member.layer) {
                findings.append("\(member.name) stands apart from the others of \(member.layer)")
            } else {
                layers.append(member.layer)
            }
        }
        let places = Dictionary(members.map { ($0.name, layers.firstIndex(of: $0.layer) ?? 0) }) { $1 }
        for member in members {
            let place = places[member.name] ?? 0
            for other in member.dependencies.sorted() where places[other, default: 0] > place {
                findings.append("\(member.name) of \(member.layer) is built on \(other), which is above it")
            }
        }
        return (layers, findings)
    }

    @Test("A target is built on its own layer and on lower ones alone")
    func order() throws {
        let targets = try Manifest.package.get().targets.filter(\.isOfProduct)
        let members = targets.map {
            Member(name: $0.name, layer: $0.layer ?? "", dependencies: Set($0.dependencies.map(\.name)))
        }
        let found = Self.order(members)
        #expect(targets.count > 30 && found.layers.count > 5)
        for finding in found.findings { Issue.record("\(finding)") }
    }

    @Test("Every target lies in the folder of a layer, and every folder is a target's")
    func folders() throws {
        let targets = try Manifest.package.get().targets.filter(\.isOfProduct)
        for target in targets {
            #expect(target.folder == "Sources/\(target.layer ?? "LAYER")/\(target.name)")
        }
        let sources = Manifest.root.appending(path: "Sources")
        let names = { (folder: URL) in try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        let folders = try names(sources).flatMap { layer in
            try names(sources.appending(path: layer)).map { "Sources/\(layer)/\($0)" }
        }
        #expect(Set(folders) == Set(targets.map(\.folder)))
    }

    @Test("A target that is built on a higher one, and one that stands apart from its layer, are found")
    func finding() {
        let low = Member(name: "Low", layer: "A", dependencies: [])
        let high = Member(name: "High", layer: "B", dependencies: ["Low", "Package"])
        #expect(Self.order([low, high]).findings.isEmpty)
        #expect(Self.order([high, low]).findings == ["High of B is built on Low, which is above it"])
        let late = Member(name: "Late", layer: "A", dependencies: [])
        #expect(Self.order([low, high, late]).findings == ["Late stands apart from the others of A"])
    }
}
