/// HMAC-SHA256 (RFC 2104, FIPS 180-4), with which a server signs. For tests: slow, and not hardened.
enum HMAC {
    static func sha256(_ message: [UInt8], key: [UInt8]) -> String {
        var block = key.count > 64 ? digest(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = digest(block.map { $0 ^ 0x36 } + message)
        return digest(block.map { $0 ^ 0x5C } + inner).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let primes: [Int] = {
        var primes: [Int] = []
        var number = 2
        while primes.count < 64 {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            number += 1
        }
        return primes
    }()

    /// The first 32 bits of the fraction of a root of a prime.
    private static func fraction(_ prime: Int, cubic: Bool) -> UInt32 {
        // The root, times 2^32, by bisection in whole numbers.
        var (low, high) = (UInt64(0), UInt64(1) << 37)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let isBelow = cubic ? isCubeBelow(middle, prime) : isSquareBelow(middle, prime)
            if isBelow { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    private static func isSquareBelow(_ root: UInt64, _ prime: Int) -> Bool {
        let product = root.multipliedFullWidth(by: root)
        return product.high < UInt64(prime)
    }

    private static func isCubeBelow(_ root: UInt64, _ prime: Int) -> Bool {
        // root³ < prime · 2^96, in steps that keep what matters.
        let square = root.multipliedFullWidth(by: root)
        let low = square.low.multipliedFullWidth(by: root)
        let high = square.high.multipliedFullWidth(by: root)
        let (sum, overflow) = high.low.addingReportingOverflow(low.high)
        return high.high + (overflow ? 1 : 0) == 0 && sum < UInt64(prime) << 32
    }

    private static let roundConstants = primes.map { fraction($0, cubic: true) }
    private static let start = primes.prefix(8).map { fraction($0, cubic: false) }

    private static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count * 8)
        bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
        var state = start
        for offset in stride(from: 0, to: bytes.count, by: 64) { mix(&state, Array(bytes[offset..<offset + 64])) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func mix(_ state: inout [UInt32], _ block: [UInt8]) {
        var words = (0..<16).map { index in block[index * 4..<index * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ (early >> 3)
            let second = turned(late, 17) ^ turned(late, 19) ^ (late >> 10)
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var work = state
        for index in 0..<64 {
            let (a, e) = (work[0], work[4])
            let choice = (e & work[5]) ^ (~e & work[6])
            let majority = (a & work[1]) ^ (a & work[2]) ^ (work[1] & work[2])
            let first =
                work[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ roundConstants[index]
                &+ words[index]
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            work = [first &+ second, a, work[1], work[2], work[3] &+ first, e, work[5], work[6]]
        }
        for index in 0..<8 { state[index] = state[index] &+ work[index] }
    }

    private static func turned(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
}
