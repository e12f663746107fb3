import Foundation

/// The third-party conformance cases in `Resources/JSONTestSuite`.
enum JSONTestSuite {
    struct Case: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    /// All cases in the order of their names.
    static func load() throws -> [Case] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Resources/JSONTestSuite/test_parsing").standardizedFileURL
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { Case(name: $0.lastPathComponent, bytes: try [UInt8](Data(contentsOf: $0))) }
            .sorted { $0.name < $1.name }
    }
}
