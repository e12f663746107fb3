import Foundation
import Testing

/// The part of `docs/mocks.md` about the FCM mock.
enum Page {
    /// Returns the parts before the FCM mock's, and its own.
    static func parts() throws -> (shared: String, own: String) {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/mocks.md")
        let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let parts = page.components(separatedBy: "\n## The mock of FCM\n")
        try #require(parts.count == 2)
        // The following headings are about other mocks.
        return (parts[0], parts[1].components(separatedBy: "\n## ")[0])
    }

    /// Returns the keys in the tables under `### PLACE` of a part.
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
