import Encodings
import MockKit

/// The issued access tokens with their expiry. Times are in milliseconds since 1970.
struct AccessTokens {
    enum Verdict: Equatable {
        case good(number: UInt32)
        case missing, unknown, expired
    }

    private struct Issued {
        let number: UInt32
        let expiry: Int64
    }

    private var issued: [[UInt8]: Issued] = [:]
    private var latest: (authorization: Int, token: Issued)?
    private(set) var count: UInt32 = 0
    /// A number that makes tokens of different runs differ, so a token is valid only in its own run.
    private let run: Int64

    init(run: Int64) {
        self.run = run
    }

    /// Issues a token. The first one has number 1.
    mutating func issue(expiry: Int64, _ random: inout some RandomNumberGenerator) -> String {
        count += 1
        let secret = [random.next(), random.next(), random.next()].map { Hexadecimal.encode(Self.bytes($0)) }.joined()
        let token = "ya29.mock-\(run)-\(count)-\(secret)"
        issued[Array(token.utf8)] = Issued(number: count, expiry: expiry)
        return token
    }

    /// Returns the verdict on an authorization header.
    mutating func verdict(_ authorization: KnownAuthorizations.Entry?, now: Int64) -> Verdict {
        guard let authorization else { return .missing }
        if let latest, latest.authorization == authorization.number { return verdict(latest.token, now) }
        let value = authorization.value
        guard value.prefix(7).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8.map { $0 | 0x20 }) else {
            return .missing
        }
        guard let token = issued[Array(value.dropFirst(7))] else { return .unknown }
        latest = (authorization.number, token)
        return verdict(token, now)
    }

    private func verdict(_ token: Issued, _ now: Int64) -> Verdict {
        now < token.expiry ? .good(number: token.number) : .expired
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}
