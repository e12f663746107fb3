import Encodings
import Foundation
import LiveActivity
import Secrets
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Identity signatures")
struct IdentitySignatureTests {
    private static let secret =
        "ffi_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
    private static let ann = DeviceKey(insiderID: "ann", udid: "phone-1")
    private static let expiry: Int64 = 1_795_500_000
    private static let now = WallTime(milliseconds: 1_795_496_400_000)

    private static func admission(
        _ signatures: SignatureDemand, _ secrets: [String] = [secret], isWhole: Bool = true
    ) -> Admission {
        Admission(
            tenantID: "t", tier: .growth, isEnabled: true, signatures: signatures,
            identityHashes: secrets.map(Secret.hash), hasUnreadableIdentity: !isWhole,
            rate: .init(isAllowed: true, remaining: 0, resetAt: 0))
    }

    private static func check(
        _ signature: String?, _ device: DeviceKey = ann, _ demand: SignatureDemand = .any, now: WallTime = now
    ) -> IdentityCheck {
        admission(demand).check(signature, of: device, now: now)
    }

    /// A signature of version 2 as the documents define it. The whole secret is the key.
    private static func sign(
        _ device: DeviceKey = ann, expiry: Int64 = expiry, secret: String = secret
    ) -> String {
        let (user, udid) = (Array(device.insiderID.utf8), Array(device.udid.utf8))
        let message =
            [0xFF] + Array("v2.\(expiry).\(user.count):".utf8) + user + Array(".\(udid.count):".utf8) + udid
        return "v2.\(expiry).\(Hexadecimal.encode(Digest.hmacSHA256(key: Array(secret.utf8), message)))"
    }

    private static func signOne(_ insiderID: String, secret: String = secret) -> String {
        Hexadecimal.encode(Digest.hmacSHA256(key: Array(secret.utf8), Array(insiderID.utf8)))
    }

    @Test("The examples in docs/signatures.md are right")
    func examples() throws {
        let one = "a736db214580426bb76e87e5d82e63eba0c02a804081fc448ef2d58085ad9127"
        let two = "v2.1795500000.0b9bb6aba7ce4fd059d1992f2dd36028f87cb68e965cb69d0247426114d490c0"
        #expect(Self.signOne("ann") == one && Self.sign() == two)
        #expect(Self.check(one) == .passed && Self.check(two) == .passed)
        let guide = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/signatures.md").standardizedFileURL, encoding: .utf8)
        for text in [Self.secret, one, two] { #expect(guide.contains(text)) }
        let other = "v2.1795500000.a6e5b8e2946ff593d27e6704d0fe4cf6e5ff97e11bdf17b6cdd4b8dc183ba96e"
        #expect(Self.check(other, DeviceKey(insiderID: "Zoë", udid: "phone-1")) == .passed)
    }

    @Test("Version 1 vouches for the user alone, whatever the case of its digits, version 2 for the device as well")
    func vouching() {
        for name in ["u-1", "Zoë 😀", String(repeating: "x", count: 250), "v2.1.1:a.1:b"] {
            let device = DeviceKey(insiderID: name, udid: "d1")
            let other = DeviceKey(insiderID: name, udid: "d2")
            let (one, two) = (Self.signOne(name), Self.sign(device))
            #expect(Self.check(one, device) == .passed && Self.check(one.uppercased(), device) == .passed)
            #expect(Self.check(one, other) == .passed)
            #expect(Self.check(two, device) == .passed && Self.check(two, other) == .wrong)
            let digits = two.suffix(64).uppercased()
            #expect(Self.check(two.dropLast(64) + digits, device) == .passed)
            for signature in [one, two] {
                #expect(Self.check(signature, DeviceKey(insiderID: name + "x", udid: "d1")) == .wrong)
            }
            // Another time than the signed one.
            #expect(Self.check("v2.\(Self.expiry + 1).\(two.suffix(64))", device) == .wrong)
            // A signature of one version under the name of the other.
            #expect(Self.check("v2.\(Self.expiry).\(one)", device) == .wrong)
            #expect(Self.check(String(two.suffix(64)), device) == .wrong)
        }
    }

    @Test("Each flipped bit, each other secret and each missing or further character is noticed")
    func tampering() {
        for signature in [Self.signOne("ann"), Self.sign()] {
            let start = signature.utf8.count - 64
            for place in 0..<64 {
                var bytes = Array(signature.utf8)
                let value = Hexadecimal.value(of: bytes[start + place]) ?? 0
                bytes[start + place] = Array(String(value ^ 1 << (place % 4), radix: 16).utf8)[0]
                #expect(Self.check(String(decoding: bytes, as: UTF8.self)) == .wrong, "\(place)")
            }
            for count in 0..<signature.utf8.count { #expect(Self.check(String(signature.prefix(count))) == .wrong) }
            for more in ["0", "00", " ", "\n", ", \(signature)", String(repeating: "0", count: 20_000)] {
                #expect(Self.check(signature + more) == .wrong && Self.check(more + signature) == .wrong)
            }
        }
        #expect(Self.check(Self.sign(secret: Self.secret + "0")) == .wrong)
        #expect(Self.check(Self.signOne("ann", secret: "")) == .wrong)
    }

    @Test("What is no signature is refused, and harms nothing")
    func garbage() {
        let digest = String(Self.sign().suffix(64))
        let expiry = "\(Self.expiry)"
        for text in [
            "", "v", "v2", "v2.", "v2..", "v2..\(digest)", "v2.\(expiry)", "v2.\(expiry).", "v2.\(expiry)\(digest)",
            "v2.0\(expiry).\(digest)", "v2.+\(expiry).\(digest)", "v2.-\(expiry).\(digest)",
            "v2. \(expiry).\(digest)", "v2.1e9.\(digest)", "v2.\(expiry).0.\(digest)", "v1.\(expiry).\(digest)",
            "v3.\(expiry).\(digest)", "V2.\(expiry).\(digest)", "v2.\(String(repeating: "9", count: 13)).\(digest)",
            "v2.\(String(repeating: "9", count: 400)).\(digest)", "v2.١٧٩٥٥.\(digest)",
            String(repeating: "é", count: 32), String(repeating: "z", count: 64), "\u{0}", "v2.\u{0}.\(digest)",
        ] { #expect(Self.check(text) == .wrong, "\(text.prefix(40))") }
        var random = TestSeed.generator(0x1D)
        for _ in 0..<20_000 {
            var bytes = Array(Self.sign().utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...2, using: &random))
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.lowercased() != Self.sign() else { continue }
            #expect(Self.check(text) != .passed, "\(text)")
        }
    }

    @Test("A signature counts until the second of its expiry, which is at most thirty days ahead")
    func time() {
        let device = Self.ann
        func check(_ secondsAhead: Int64) -> IdentityCheck {
            Self.check(Self.sign(device, expiry: Self.now.seconds + secondsAhead))
        }
        let most: Int64 = 30 * 86_400
        #expect(check(1) == .passed && check(0) == .expired && check(-1) == .expired && check(-1_000_000) == .expired)
        #expect(check(most) == .passed)
        // The signer's clock may go before.
        #expect(check(most + 300) == .passed && check(most + 301) == .tooLong)
        #expect(Self.check("v2.999999999999.\(Self.sign().suffix(64))") == .tooLong)
        #expect(Self.check("v2.0.\(Self.sign().suffix(64))") == .wrong)
        let end = WallTime(milliseconds: Self.expiry * 1000)
        #expect(Self.check(Self.sign(), now: WallTime(milliseconds: end.milliseconds - 1)) == .passed)
        #expect(Self.check(Self.sign(), now: end) == .expired)
    }

    @Test("Whether one is needed, and of which version, is the tenant's to say; what is given is always checked")
    func demands() {
        let (one, two) = (Self.signOne("ann"), Self.sign())
        #expect(Self.check(nil, Self.ann, .none) == .passed)
        for demand in [SignatureDemand.any, .version2] { #expect(Self.check(nil, Self.ann, demand) == .missing) }
        for demand in SignatureDemand.allCases {
            #expect(Self.check(two, Self.ann, demand) == .passed)
            #expect(Self.check("zz", Self.ann, demand) == .wrong)
            #expect(Self.check(Self.sign(expiry: 1), Self.ann, demand) == .expired)
        }
        #expect(Self.check(one, Self.ann, .none) == .passed && Self.check(one, Self.ann, .any) == .passed)
        #expect(Self.check(one, Self.ann, .version2) == .outdated)
        for (kept, demand) in [(nil, SignatureDemand.none), ("0", .none), ("1", .any), ("2", .version2)] {
            #expect(SignatureDemand(kept: kept) == demand)
        }
        // A demand of a version to come is not taken for none.
        #expect(SignatureDemand(kept: "3") == .version2)
    }

    @Test("Any of the secrets that count will do; where one cannot be read nobody is called a liar")
    func several() {
        let secrets = ["ffi_\(String(repeating: "a", count: 96))", Self.secret]
        let admission = Self.admission(.any, secrets)
        for secret in secrets {
            #expect(admission.check(Self.sign(secret: secret), of: Self.ann, now: Self.now) == .passed)
            let one = Self.signOne("ann", secret: secret)
            #expect(admission.check(one, of: Self.ann, now: Self.now) == .passed)
        }
        let broken = Self.admission(.any, [Self.secret], isWhole: false)
        #expect(broken.check(Self.sign(), of: Self.ann, now: Self.now) == .passed)
        #expect(broken.check(Self.sign(secret: secrets[0]), of: Self.ann, now: Self.now) == .unreadable)
        #expect(broken.check("zz", of: Self.ann, now: Self.now) == .wrong)
        #expect(Self.admission(.any, []).check(Self.sign(), of: Self.ann, now: Self.now) == .wrong)
    }

    @Test("What version 2 signs can be read in one way only, and is the name of nobody")
    func encoding() throws {
        var random = TestSeed.generator(0x2D)
        let pieces = ["a", "1", ":", ".", "2:", "1:a.", "v2.", "é", "\u{7F}", "\n"]
        func name() -> String {
            (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        for _ in 0..<5_000 {
            let device = DeviceKey(insiderID: name(), udid: name())
            let expiry = Int64.random(in: 1...999_999_999_999, using: &random)
            let message = IdentitySignature.message(device, expiry: expiry)
            let read = try #require(Self.read(message), "\(message)")
            #expect(read.expiry == expiry && read.names == [device.insiderID, device.udid].map { Array($0.utf8) })
            #expect(String(validating: message, as: UTF8.self) == nil)
        }
    }

    /// The expiry and the names of a message of version 2. The message is read from its start to its end without a
    /// choice, so different names cannot have the same message.
    private static func read(_ message: [UInt8]) -> (expiry: Int64, names: [[UInt8]])? {
        var rest = message[...]
        func take(_ bytes: [UInt8]) -> Bool {
            guard rest.starts(with: bytes) else { return false }
            rest = rest.dropFirst(bytes.count)
            return true
        }
        func number() -> Int64? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        guard take([0xFF] + Array("v2.".utf8)), let expiry = number() else { return nil }
        var names: [[UInt8]] = []
        for _ in 0..<2 {
            guard take([UInt8(ascii: ".")]), let count = number(), take([UInt8(ascii: ":")]), rest.count >= count
            else { return nil }
            names.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        return rest.isEmpty ? (expiry, names) : nil
    }
}
