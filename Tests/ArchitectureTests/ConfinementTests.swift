import Foundation
import Testing

/// The comment above each unchecked declaration gives its reason: confined, immutable or guarded. Debug builds check
/// that a confined type runs on its thread.
@Suite("Confinement")
struct ConfinementTests {
    private enum Reason {
        case confined(to: String)
        case immutable, guarded

        init?(_ comment: String) {
            let words = comment.lowercased()
            if let found = words.firstMatch(of: /confined to (?:its|the)(?: [a-z]+'s)? (reactor|event loop|thread)/) {
                self = .confined(to: String(found.1))
            } else if words.contains("immutable") {
                self = .immutable
            } else if words.contains("guarded by") {
                self = .guarded
            } else {
                return nil
            }
        }
    }

    /// An unchecked declaration with the comment above it.
    private struct Claim {
        let line: Int
        let isType: Bool
        let comment: String

        static func all(in text: String) -> [Claim] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return lines.indices.compactMap { index in
                let line = lines[index]
                let isType = line.contains("@unchecked Sendable")
                guard isType || line.hasPrefix("nonisolated(unsafe)"), !line.hasPrefix("//") else { return nil }
                // Consecutive declarations share the comment above the first.
                var above = lines[..<index].reversed().drop { $0.hasPrefix("nonisolated(unsafe)") || $0.hasPrefix("@") }
                if isType, above.first?.hasSuffix(":") == true || above.first?.hasSuffix(",") == true {
                    above = above.dropFirst()
                }
                let comment = above.prefix { $0.hasPrefix("//") }.reversed().map { $0.drop { $0 == "/" || $0 == " " } }
                return Claim(line: index + 1, isType: isType, comment: comment.joined(separator: " "))
            }
        }
    }

    /// True if the text checks in debug builds that it runs in `place`. Only a call counts, because a declaration
    /// checks nothing.
    private static func checks(_ place: String, in text: String) -> Bool {
        switch place {
        case "event loop": text.contains(".assertInEventLoop()") || text.contains(".preconditionInEventLoop()")
        default: text.contains(/(?:assert|precondition)\((?:\w+\.)*isOnReactor\b|\.assertOnReactor\(\)/)
        }
    }

    private static func findings(_ text: String) -> [String] {
        Claim.all(in: text).compactMap { claim in
            guard let reason = Reason(claim.comment) else {
                return "\(claim.line): say in front of it what makes it safe: confined to …, immutable, or guarded by …"
            }
            guard claim.isType, case .confined(let place) = reason, !checks(place, in: text) else { return nil }
            return "\(claim.line): it is confined to a \(place), and nothing here checks that"
        }
    }

    @Test("Every unchecked claim says what makes it safe, and what is confined to a thread checks that it is there")
    func claims() throws {
        let files = try SourceFile.all(of: Manifest.package.get()).filter(\.target.isOfProduct)
        #expect(files.count > 500)
        for file in files {
            for finding in Self.findings(file.text) { Issue.record("\(file.path):\(finding)") }
        }
    }

    @Test(
        "A claim without a reason, and a thread that nobody checks, are found",
        arguments: [
            ("final class A: @unchecked Sendable {", 1), ("/// Quick.\nfinal class A: @unchecked Sendable {", 1),
            ("/// Immutable.\nfinal class A: @unchecked Sendable {", 0),
            ("/// Confined to its\n/// reactor.\nfinal class A: @unchecked Sendable {", 1),
            ("/// Confined to the reactor.\nclass A: @unchecked Sendable {\nassert(reactor.isOnReactor)", 0),
            ("/// Confined to the reactor.\nclass A: @unchecked Sendable {\nrequest.assertOnReactor()", 0),
            ("/// Confined to the reactor.\nclass A: @unchecked Sendable {\nfunc assertOnReactor() {", 1),
            ("/// Confined to its event loop.\nclass A: @unchecked Sendable {\nfunc assertInEventLoop() {", 1),
            ("let a = 1\nnonisolated(unsafe) let b = a", 1),
            ("// Confined to the reactor.\nnonisolated(unsafe) let b = a\nnonisolated(unsafe) let c = a", 0),
        ])
    func finding(text: String, count: Int) {
        #expect(Self.findings(text).count == count)
    }
}
