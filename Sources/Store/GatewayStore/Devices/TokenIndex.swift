import Encodings
import LiveActivity
import RedisClient
import Secrets
import TimeCore

/// The index of the devices that last reported each push-to-start token. A phone with several logins reports the same
/// token for each. The token belongs to the login of the last report.
///
/// The entries are in hashes that are small enough to be packed in Redis. Many small hashes would cost as much as the
/// entries. So there are three levels of buckets, each of 64 times as many as the one above. An entry is in the first
/// level whose bucket was not full when it was made. A bucket that was full once takes no new entry. A search continues
/// on the next level, and no token has two entries.
struct TokenIndex {
    static let levels = 3
    /// The most former owners that an entry keeps until their devices are marked. The oldest ones are dropped first.
    static let maximumFormers = 8
    private static let fieldLength = 8
    /// Redis packs hashes of up to 512 fields by default.
    static let capacity = 384

    private let tenantID: String
    /// The token's SHA-256.
    private let words: SHA256Words

    init(_ token: [UInt8], tenantID: String) {
        self.tenantID = tenantID
        words = token.withUnsafeBytes { Digest.sha256($0) }
    }

    /// Returns nil for bytes that are no SHA-256.
    /// - Parameter digest: The SHA-256 of a token.
    init?(digest: [UInt8], tenantID: String) {
        guard let words = SHA256Words(digest) else { return nil }
        self.tenantID = tenantID
        self.words = words
    }

    /// The token's SHA-256, 32 bytes.
    var digest: [UInt8] { words.bytes }

    /// The token's field in its bucket.
    var field: [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// The field as a number.
    var number: UInt64 { words.first }

    /// Returns nil for any other field.
    static func number(_ field: UnsafeRawBufferPointer) -> UInt64? {
        field.count == fieldLength ? field.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    /// A number that sorts tokens so that those of a bucket are together, on any level.
    var order: UInt64 { order(level: TokenIndex.levels - 1) }

    /// The number up to a level. It has six bits for each level, and is unique for each bucket of the last one.
    func order(level: Int) -> UInt64 {
        (0...UInt64(level)).reduce(0) { $0 << 6 | words.second >> (6 * $1) & 63 }
    }

    func bucket(level: Int) -> TokenBucket {
        TokenBucket(level: level, number: words.second % (64 << (6 * UInt64(level))))
    }

    func key(level: Int) -> String { bucket(level: level).key(tenantID) }

    /// See `Scripts.claimToken`.
    func claim(for owner: TokenOwner, reportedAt: WallTime, level: Int) -> ScriptCall<Scripts.ClaimTokenReply> {
        Scripts.claimToken(
            bucket: key(level: level), field: field, owner: owner.bytes, time: UserRecord.encode(reportedAt),
            capacity: bucket(level: level).capacity)
    }

    /// Reads the entry on all levels, because its level is not known.
    var reads: [RedisCommand] { (0..<TokenIndex.levels).map { RedisCommand("HGET", key(level: $0), field) } }

    func settle(_ former: TokenOwner, level: Int) -> ScriptCall<Bool> {
        Scripts.settleToken(bucket: key(level: level), field: field, former: former.bytes)
    }

    /// Releases the token on all levels, because the entry's level is not known.
    /// - Parameter asOf: An entry with a later report stays; nil releases any entry.
    func release(by owner: TokenOwner, asOf: WallTime? = nil) -> [RedisCommand] {
        let (field, latest) = (self.field, asOf.map { UserRecord.encode($0) } ?? [])
        return (0..<TokenIndex.levels).map { level in
            Scripts.releaseToken(bucket: key(level: level), field: field, latest: latest, by: owner.bytes).command
        }
    }
}

/// A hash of the index of tokens.
struct TokenBucket: Hashable, Sendable {
    let level: Int
    /// The number among the buckets of the level.
    let number: UInt64

    func key(_ tenantID: String) -> String { Keys.tokenOwners(tenantID, level: level, bucket: number) }

    /// The most fields that it may have, as an argument of scripts. A bucket of the last level has no limit.
    var capacity: String { level + 1 < TokenIndex.levels ? "\(TokenIndex.capacity)" : "" }
}

/// The device that a token was reported for. It has four bytes of a hash of the udid, with a mark in their middle, and
/// the insider_id (`PackedName`). Four bytes distinguish the few devices of one user. The whole udid would double the
/// entry.
struct TokenOwner: Equatable {
    let bytes: [UInt8]

    private static let mark: UInt8 = 253
    /// An owner with the longest insider_id and this prefix still has a length that fits in one byte.
    private static let prefixLength = 5

    init(_ key: DeviceKey) {
        var bytes: [UInt8] = []
        TokenOwner.append(key, to: &bytes)
        self.bytes = bytes
    }

    /// Appends the bytes of the device's owner.
    static func append(_ key: DeviceKey, to bytes: inout [UInt8]) {
        appendPrefix(key.udid, to: &bytes)
        PackedName.append(key.insiderID, to: &bytes)
    }

    /// Returns nil for bytes that are no owner.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > TokenOwner.prefixLength, bytes[2] == TokenOwner.mark else { return nil }
        self.bytes = bytes
    }

    /// Returns nil if the entry of the index has no owner, see `token-claims.lua`.
    init?(entry: [UInt8]) {
        var reader = ByteReader(entry)
        guard reader.take(UserRecord.timeLength) != nil, let length = reader.byte(),
            let owner = reader.take(Int(length))
        else { return nil }
        self.init(Array(owner))
    }

    var insiderID: String { PackedName.decode(bytes[TokenOwner.prefixLength...]) }

    func isDevice(_ udid: String) -> Bool { bytes.starts(with: TokenOwner.prefix(udid)) }

    private static func prefix(_ udid: String) -> [UInt8] {
        var bytes: [UInt8] = []
        appendPrefix(udid, to: &bytes)
        return bytes
    }

    private static func appendPrefix(_ udid: String, to bytes: inout [UInt8]) {
        var udid = udid
        let hash = udid.withUTF8 { Digest.sha256(UnsafeRawBufferPointer($0)).first }
        bytes.append(UInt8(truncatingIfNeeded: hash >> 56))
        bytes.append(UInt8(truncatingIfNeeded: hash >> 48))
        bytes.append(mark)
        bytes.append(UInt8(truncatingIfNeeded: hash >> 40))
        bytes.append(UInt8(truncatingIfNeeded: hash >> 32))
    }
}

/// The result of a claim of a token for the device that reported it.
enum TokenClaim {
    /// The device is the owner. The former owners are not marked yet.
    case owned(formers: [TokenOwner], level: Int)
    /// Another device has reported the token later.
    case lost

    init(formers: [[UInt8]], level: Int) {
        self = .owned(formers: formers.compactMap { TokenOwner($0) }, level: level)
    }

    /// Returns nil if the entry must be on the next level.
    init?(_ reply: Scripts.ClaimTokenReply, level: Int) {
        switch reply {
        case .owned(let formers): self.init(formers: formers, level: level)
        case .lost: self = .lost
        case .full: return nil
        }
    }

    /// True if no other device has reported the token.
    var isUndisputed: Bool {
        if case .owned(let formers, _) = self { formers.isEmpty } else { false }
    }
}
