import Foundation
import Testing

/// Features of the store lie in folders of their own.
@Suite("Features of the store")
struct StoreFeatureTests {
    @Test("Each feature that has scripts or keys names them in its own folder")
    func folders() throws {
        let root = Manifest.root
        let store = try #require(try Manifest.package.get().target("GatewayStore")?.folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: store).path)
        let withScripts = Set(files.filter { $0.hasSuffix(".lua") }.map { String($0.prefix { $0 != "/" }) })
        #expect(withScripts.count > 10)
        for feature in withScripts where feature != "Layout" {
            #expect(files.contains("\(feature)/Scripts+\(feature).swift"), "\(feature) does not name its scripts")
        }
        for file in files where file.hasSuffix(".swift") && !file.hasSuffix("Layout/Keys.swift") {
            let name = file.split(separator: "/").last ?? ""
            guard name.hasPrefix("Keys+") || name.hasPrefix("Scripts+") else { continue }
            let feature = file.prefix { $0 != "/" }
            #expect(name.hasSuffix("+\(feature).swift"), "\(file) belongs to another feature")
        }
    }
}
