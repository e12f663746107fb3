import Encodings
import LiveActivity
import PhoneModel

/// Simulated phones that receive the pushes in the ledgers of mocks.
struct LedgerPhones: Sendable {
    private(set) var crowd: PhoneCrowd
    /// The tokens of pushes that were rejected or may have been lost.
    private(set) var refused: Set<String> = []

    init(_ app: AppType) { crowd = PhoneCrowd([app]) }

    mutating func own(_ token: String, on startToken: String, attributes: String) {
        crowd.own(token, on: startToken, attributes: Array(attributes.utf8))
    }

    mutating func reportAll() { crowd.reportAll() }

    /// Applies ledger lines in order.
    /// - Returns: The number of lines.
    mutating func read(_ lines: [UInt8]) throws -> Int {
        var count = 0
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            try read(line: Array(line))
            count += 1
        }
        return count
    }

    private mutating func read(line: [UInt8]) throws {
        let members = try JSONDocument(parsing: line).root.members([
            "path", "headers", "payload", "token", "body", "status",
        ])
        let path = members[0]?.string ?? ""
        let isAccepted = members[5]?.int64 == 200
        if let text = members[4], let token = members[3]?.string {
            guard isAccepted else { return _ = refused.insert(token) }
            crowd.receive(fcm: Self.bytes(text), token: token)
        } else if let channel = try members[1]?.member("apns-channel-id")?.string {
            if isAccepted { crowd.publish(apns: Self.bytes(members[2]), channel: channel) }
        } else {
            let token = String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
            guard isAccepted else { return _ = refused.insert(token) }
            crowd.receive(apns: Self.bytes(members[2]), token: token)
        }
    }

    private static func bytes(_ text: JSONValue?) -> [UInt8] {
        guard let text, text.kind == .string else { return [] }
        return Base64.decode(text.slice.dropFirst().dropLast()) ?? []
    }
}
