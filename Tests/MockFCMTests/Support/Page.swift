import Foundation
import Testing

/// What `docs/mocks.md` says of the mock of FCM.
enum Page {
    /// The parts in front of the mock of FCM's, and its own.
    static func parts() throws -> (shared: String, own: String) {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/mocks.md")
        let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let parts = page.components(separatedBy: "\n## The mock of FCM\n")
        try #require(parts.count == 2)
        // What comes behind is about other mocks.
        return (parts[0], parts[1].components(separatedBy: "\n## ")[0])
    }

    /// The keys in the tables under `### PLACE` of a part.
    static func keys(_ part: String) -> [String: [String]] {
        var keys: [String: [String]] = [:]
        for section in part.components(separatedBy: "\n### ").dropFirst() {
            let lines = section.split(separator: "\n")
            let heading = String(lines[0].filter { $0 != "`" }.replacing(" of FCM", with: ""))
            let rows = lines.compactMap { $0.prefixMatch(of: /\| `([a-z_]+)` \|/).map { String($0.1) } }
            if !rows.isEmpty { keys[heading] = rows }
        }
        return keys
    }

    static func counts() throws -> [String] { keys(try parts().own)["Counts"] ?? [] }
}
