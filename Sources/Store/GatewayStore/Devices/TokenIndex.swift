import LiveActivity
import RedisClient
import Secrets
import TimeCore

/// Where it is noted who reported a push-to-start token last. A token is one phone's, and a phone with several logins
/// reports the same one for each: it is started for whoever it was reported for last.
///
/// The entries lie in hashes that are small enough to be packed in Redis; many small ones would cost as much as the
/// entries. So there are three levels of buckets, each of 64 times as many as the one above. An entry is in the first
/// level whose bucket was not full when it was made. A bucket that was full once takes no new entry any more, so
/// whoever does not find one there goes to the next level, and no token has two.
struct TokenIndex {
    static let levels = 3
    /// Former owners that are yet to be told; of more the oldest go.
    static let maximumFormers = 8
    private static let fieldLength = 8
    /// Packed hashes have up to 512 fields in Redis unless it is set otherwise.
    static let capacity = 384

    private let tenantID: String
    /// The token's SHA-256.
    private let words: SHA256Words

    init(_ token: [UInt8], tenantID: String) {
        self.tenantID = tenantID
        words = token.withUnsafeBytes { Digest.sha256($0) }
    }

    /// Nil for bytes that are no SHA-256.
    /// - Parameter digest: the token's.
    init?(digest: [UInt8], tenantID: String) {
        guard let words = SHA256Words(digest) else { return nil }
        self.tenantID = tenantID
        self.words = words
    }

    /// The token's SHA-256, 32 bytes.
    var digest: [UInt8] { words.bytes }

    /// The token's in its bucket.
    var field: [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// The field as a number.
    var number: UInt64 { words.first }

    /// Nil for what is no token's field.
    static func number(_ field: UnsafeRawBufferPointer) -> UInt64? {
        field.count == fieldLength ? field.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    /// In the order of these numbers the tokens of a bucket stand together, of whichever level.
    var order: UInt64 { order(level: TokenIndex.levels - 1) }

    /// The same up to a level, where it is a number for each bucket: what makes the bucket of each level, one after the
    /// other.
    func order(level: Int) -> UInt64 {
        (0...UInt64(level)).reduce(0) { $0 << 6 | words.second >> (6 * $1) & 63 }
    }

    func bucket(level: Int) -> TokenBucket {
        TokenBucket(level: level, number: words.second % (64 << (6 * UInt64(level))))
    }

    func key(level: Int) -> String { bucket(level: level).key(tenantID) }

    /// See `Scripts.claimToken`.
    func claim(for owner: TokenOwner, reportedAt: WallTime, level: Int) -> RedisCommand {
        RedisCommand(
            script: Scripts.claimToken, keys: [key(level: level)],
            arguments: [field, owner.bytes, UserRecord.encode(reportedAt), bucket(level: level).capacity])
    }

    /// Reads the entry on all levels, because its level is not known.
    var reads: [RedisCommand] { (0..<TokenIndex.levels).map { RedisCommand("HGET", key(level: $0), field) } }

    func settle(_ former: TokenOwner, level: Int) -> RedisCommand {
        RedisCommand(script: Scripts.settleToken, keys: [key(level: level)], arguments: [field, former.bytes])
    }

    /// On all levels: it is not known where the entry is.
    /// - Parameter asOf: what was reported later is left; nil: whatever is there is meant.
    func release(by key: DeviceKey, asOf: WallTime? = nil) -> [RedisCommand] {
        release(by: TokenOwner.Spellings(key), asOf: asOf)
    }

    func release(by owner: TokenOwner.Spellings, asOf: WallTime?) -> [RedisCommand] {
        let arguments: [any RedisArgumentConvertible] = [
            field, asOf.map { UserRecord.encode($0) } ?? [], owner.present, owner.former,
        ]
        return (0..<TokenIndex.levels).map { level in
            RedisCommand(script: Scripts.releaseToken, keys: [self.key(level: level)], arguments: arguments)
        }
    }
}

/// A hash of the index of tokens.
struct TokenBucket: Hashable, Sendable {
    let level: Int
    /// Among those of its level.
    let number: UInt64

    func key(_ tenantID: String) -> String { Keys.tokenOwners(tenantID, level: level, bucket: number) }

    /// How many fields it may have, as the scripts take it: those of the last level any number.
    var capacity: String { level + 1 < TokenIndex.levels ? "\(TokenIndex.capacity)" : "" }
}

/// The device that a token was reported for: four bytes of a hash of the udid, with a mark in their middle, and the
/// insider_id (`PackedName`). Four bytes tell the few devices of one user apart; the whole udid would cost as much as
/// all else. Earlier versions wrote two bytes and no mark, which no name begins with.
struct TokenOwner: Equatable {
    let bytes: [UInt8]

    private static let mark: UInt8 = 253
    /// With an insider_id of the greatest length an owner just fits behind the byte that says how long it is.
    private static let prefixLength = 5
    private static let shortPrefixLength = 2

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

    /// Nil for bytes that are no owner.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > TokenOwner.shortPrefixLength else { return nil }
        self.bytes = bytes
    }

    /// Nil if the entry of the index has no owner, see `token-claims.lua`.
    init?(entry: [UInt8]) {
        var reader = ByteReader(entry)
        guard reader.take(UserRecord.timeLength) != nil, let length = reader.byte(),
            let owner = reader.take(Int(length))
        else { return nil }
        self.init(Array(owner))
    }

    private var isShort: Bool { bytes[2] != TokenOwner.mark || bytes.count <= TokenOwner.prefixLength }

    var insiderID: String {
        PackedName.decode(bytes[(isShort ? TokenOwner.shortPrefixLength : TokenOwner.prefixLength)...])
    }

    func isDevice(_ udid: String) -> Bool {
        bytes.starts(with: isShort ? TokenOwner.shortPrefix(udid) : TokenOwner.prefix(udid))
    }

    /// A device as this version and earlier ones call it.
    struct Spellings {
        let present: [UInt8]
        let former: [UInt8]

        init(_ key: DeviceKey) {
            present = TokenOwner(key).bytes
            former = TokenOwner.short(key)
        }

        /// The present one with its length in front, and the former one.
        init?(_ bytes: [UInt8]) {
            var reader = ByteReader(bytes)
            guard let length = reader.byte(), let present = reader.take(Int(length)) else { return nil }
            self.present = Array(present)
            former = Array(reader.rest())
        }

        var bytes: [UInt8] { [UInt8(truncatingIfNeeded: present.count)] + present + former }
    }

    /// As earlier versions wrote it.
    static func short(_ key: DeviceKey) -> [UInt8] {
        var bytes = shortPrefix(key.udid)
        PackedName.append(key.insiderID, to: &bytes)
        return bytes
    }

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

    /// FNV-1a, folded.
    private static func shortPrefix(_ udid: String) -> [UInt8] {
        let hash = udid.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let folded = UInt16(truncatingIfNeeded: hash ^ hash >> 16)
        return [UInt8(truncatingIfNeeded: folded), UInt8(truncatingIfNeeded: folded >> 8)]
    }
}

/// What became of an attempt to make a device the owner of a token it has reported.
enum TokenClaim {
    /// It is; the former owners have yet to be told.
    case owned(formers: [TokenOwner], level: Int)
    /// Another device has reported the token later.
    case lost

    /// - Returns: nil when the entry, if there is one, is on the next level.
    init?(_ reply: RedisValue, level: Int) {
        if let number = reply.int {
            guard number == -1 else { return nil }
            self = .lost
        } else {
            let formers = (reply.array ?? []).compactMap { $0.bytes.flatMap { TokenOwner($0) } }
            self = .owned(formers: formers, level: level)
        }
    }

    /// Nobody else has ever reported the token.
    var isUndisputed: Bool {
        if case .owned(let formers, _) = self { formers.isEmpty } else { false }
    }
}
