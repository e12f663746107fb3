import Encodings
import LiveActivity
import Secrets
public import TimeCore

/// A parsed X-Identity-Signature header: the tenant server's proof for the device that a report names.
///
/// Version 1 is HMAC-SHA256 of the insider_id in hexadecimal. Version 2 is `v2.EXPIRY.HMAC`, where EXPIRY is an epoch
/// second. It signs the byte 0xFF and `v2.EXPIRY.LENGTH:INSIDER_ID.LENGTH:UDID`, with lengths in bytes.
///
/// The encoding is unambiguous, because each name follows its length. UTF-8 never begins with 0xFF, so no signature is
/// valid in both versions.
struct IdentitySignature: Equatable, Sendable {
    enum Version: Equatable, Sendable {
        case one
        /// - Parameter expiry: in epoch seconds.
        case two(expiry: Int64)
    }

    let version: Version
    /// 32 bytes.
    let digest: [UInt8]

    /// The longest time to an expiry.
    static let longestLife = TimeInterval.seconds(30 * 86_400)
    /// The tolerated lead of the signer's clock over the store's.
    static let clockTolerance = TimeInterval.seconds(300)

    private static let mark: StaticString = "v2."
    private static let mostDigits = 12

    /// Returns nil if the text is not a signature.
    init?(_ text: String) {
        var text = text
        let parts = text.withUTF8 { bytes -> (Version, [UInt8])? in
            var rest = bytes[...]
            var version = Version.one
            if rest.count > 3, rest[0] == UInt8(ascii: "v") {
                guard let expiry = IdentitySignature.takeExpiry(&rest) else { return nil }
                version = .two(expiry: expiry)
            }
            guard rest.count == 64, let digest = Hexadecimal.decode(rest) else { return nil }
            return (version, digest)
        }
        guard let parts else { return nil }
        (version, digest) = parts
    }

    /// Parses `v2.EXPIRY.` and rejects leading zeros.
    private static func takeExpiry(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        for index in 0..<mark.utf8CodeUnitCount where rest[index] != mark.utf8Start[index] { return nil }
        rest = rest.dropFirst(mark.utf8CodeUnitCount)
        var expiry: Int64 = 0
        var count = 0
        while let digit = rest.first, digit != UInt8(ascii: ".") {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), count < mostDigits else { return nil }
            guard count > 0 || digit != UInt8(ascii: "0") else { return nil }
            expiry = expiry * 10 + Int64(digit - UInt8(ascii: "0"))
            count += 1
            rest = rest.dropFirst()
        }
        guard count > 0, !rest.isEmpty else { return nil }
        rest = rest.dropFirst()
        return expiry
    }

    /// True if one of the secrets made the signature. Tries all secrets, so that the time does not reveal the match.
    /// - Parameter hashes: The SHA-256 of each secret, which is the HMAC key; see `Secret.generate`.
    func vouches(for device: DeviceKey, by hashes: [[UInt8]]) -> Bool {
        switch version {
        case .one:
            var name = device.insiderID
            return name.withUTF8 { isMade(of: UnsafeRawBufferPointer($0), by: hashes) }
        case .two(let expiry):
            return IdentitySignature.message(device, expiry: expiry).withUnsafeBytes { isMade(of: $0, by: hashes) }
        }
    }

    private func isMade(of message: UnsafeRawBufferPointer, by hashes: [[UInt8]]) -> Bool {
        var isMade = false
        for hash in hashes where Digest.isHMACSHA256(digest, of: message, key: hash) { isMade = true }
        return isMade
    }

    /// Returns the message that version 2 signs.
    static func message(_ device: DeviceKey, expiry: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(40 + device.insiderID.utf8.count + device.udid.utf8.count)
        bytes.append(0xFF)
        bytes.append(contentsOf: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        append(expiry, to: &bytes)
        for name in [device.insiderID, device.udid] {
            bytes.append(UInt8(ascii: "."))
            append(Int64(name.utf8.count), to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: name.utf8)
        }
        return bytes
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if number >= 10 { append(number / 10, to: &bytes) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

/// The result of the check of an identity signature.
public enum IdentityCheck: Equatable, Sendable {
    /// The signature is valid for the device, or it is absent and not required.
    case passed
    /// The signature is absent, and the tenant requires one.
    case missing
    /// The header is malformed, or was not made for this tenant and device.
    case wrong
    /// The signature has version 1, and the tenant requires version 2.
    case outdated
    /// The signature has expired.
    case expired
    /// The expiry is too far in the future.
    case tooLong
    /// The signature fits no readable secret, but one of the tenant's identity secrets does not open with the gateway's
    /// key.
    case unreadable
}

extension Admission {
    /// Checks if a device may report under its insider_id and udid.
    /// - Parameters:
    ///   - signature: The header's value; nil if it is absent.
    ///   - now: The time by the store's clock.
    public func check(_ signature: String?, of device: DeviceKey, now: WallTime) -> IdentityCheck {
        guard let text = signature else { return signatures == .none ? .passed : .missing }
        guard let signature = IdentitySignature(text) else { return .wrong }
        switch signature.version {
        case .one: if signatures == .version2 { return .outdated }
        case .two(let expiry):
            let latest = now + IdentitySignature.longestLife + IdentitySignature.clockTolerance
            if expiry <= now.seconds { return .expired }
            if expiry > latest.seconds { return .tooLong }
        }
        if signature.vouches(for: device, by: identityHashes) { return .passed }
        return hasUnreadableIdentity ? .unreadable : .wrong
    }
}
