import HTTP2Core
import TestSupport

extension RequestKind {
    /// Puts the token anywhere, leaves the body out, or neither.
    mutating func drawForm(_ random: inout SeededGenerator) {
        let spelling: HTTP2RequestTemplate.Spelling = Bool.random(using: &random) ? .hexadecimal : .verbatim
        pathSuffix = ["", ":send", String(repeating: "s", count: 150)].randomElement(using: &random) ?? ""
        hole = [.none, .path(spelling)].randomElement(using: &random) ?? .none
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            method = "GET"
            body = nil
        case 1: break
        default: hole = .body(at: Int.random(in: 0...(body?.count ?? 0), using: &random), spelling)
        }
    }
}
