import Encodings
public import LiveActivity
import Reactor
import RedisClient
import Secrets
import Synchronization
public import TimeCore

/// The refusal of a request that exceeds a rate limit.
public struct RateRefusal: Equatable, Sendable {
    /// The exceeded limit.
    public let limit: TenantLimits.Limit
    /// The time until a retry can succeed.
    public let wait: TimeInterval
}

/// The SDK requests of devices, users and tenants in a minute, over all gateways; see `RateTable`.
///
/// A minute admits at most the limit plus three twentieths of it per gateway. Callable from any thread.
public final class RequestRates: StoreFeature {
    let context: StoreContext
    private let refusals: QuotaRefusals
    /// Each table has its own lock, so that event loops seldom contend.
    private let tables: [Locked<RateTable>]
    private let window: TimeInterval

    static let tableCount = 32
    /// Keeps all tables together under three megabytes.
    static let rows = 512

    /// - Parameter rows: rows of each table.
    init(
        _ context: StoreContext, _ refusals: QuotaRefusals, rows: Int = RequestRates.rows,
        window: TimeInterval = .seconds(60)
    ) {
        self.context = context
        self.refusals = refusals
        self.window = window
        tables = (0..<RequestRates.tableCount).map { _ in Locked(RateTable(rows: rows)) }
    }

    /// Counts a request. Returns a refusal if a limit is exceeded.
    public func count(
        _ device: DeviceKey, tenantID: String, _ limits: TenantLimits, now: MonotonicTime
    ) -> RateRefusal? {
        let now = now.nanoseconds / 1_000_000
        var hasher = Hasher()
        RequestRates.add(tenantID, &hasher)
        let tenant = hasher
        RequestRates.add(device.insiderID, &hasher)
        let user = hasher
        RequestRates.add(device.udid, &hasher)
        if limits[.deviceRequests] > 0,
            let refusal = count(hasher, limits, .deviceRequests, now, [tenantID, device.insiderID, device.udid])
        {
            return refusal
        }
        if limits[.userRequests] > 0,
            let refusal = count(user, limits, .userRequests, now, [tenantID, device.insiderID])
        {
            return refusal
        }
        guard limits[.sdkRequests] > 0 else { return nil }
        return count(tenant, limits, .sdkRequests, now, [tenantID])
    }

    /// Adds the length after the text, so that different lists of names give different hashes.
    private static func add(_ text: String, _ hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(text.utf8.count)
    }

    private func count(
        _ hasher: Hasher, _ limits: TenantLimits, _ limit: TenantLimits.Limit, _ now: UInt64,
        _ name: @autoclosure () -> [String]
    ) -> RateRefusal? {
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        let table = tables[Int(hash >> 59)]
        switch table.withLock({ $0.requested(hash, limit: limits[limit], now: now) }) {
        case .allowed: return nil
        case .allowedAndTold(let count):
            tell(count, of: hash, RequestRates.key(name()), limit: limits[limit])
            return nil
        case .refused(let wait):
            refusals.count(limit)
            return RateRefusal(limit: limit, wait: .milliseconds(Int(clamping: wait)))
        }
    }

    /// Returns the key in the store.
    static func key(_ name: [String]) -> String {
        let bytes = name.flatMap { part in Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        return Keys.requests(name[0], Hexadecimal.encode(Array(Digest.sha256(bytes)[..<12])))
    }

    private func tell(_ count: Int, of hash: UInt64, _ key: String, limit: Int) {
        let isTaken = redis.reactor.execute {
            let call = Scripts.addRequests(
                requests: key, count: count, limit: limit, window: Int(self.window.nanoseconds / 1_000_000))
            self.redis.send(call.command) { result in
                let wait = try? call.result(result).get()
                self.settle(hash, wait.map { UInt64(clamping: $0) }, limit)
            }
        }
        if !isTaken { settle(hash, nil, limit) }
    }

    private func settle(_ hash: UInt64, _ wait: UInt64?, _ limit: Int) {
        let now = MonotonicTime.now().nanoseconds / 1_000_000
        tables[Int(hash >> 59)].withLock { $0.settle(hash, wait: wait, limit: limit, now: now) }
    }

    /// Returns the SDK requests of a tenant in the last minute that gateways have reported to the store.
    public func requests(ofTenant tenantID: String) async throws(StoreError) -> Int {
        let text = try await value(RedisCommand("GET", RequestRates.key([tenantID]))).string ?? ""
        let first = (wallClock().milliseconds - Int64(window.nanoseconds / 1_000_000)) / 1000
        return text.split(separator: " ").reduce(0) { sum, entry in
            let parts = entry.split(separator: ":").compactMap { Int64($0) }
            return parts.count == 2 && parts[0] >= first ? sum + Int(parts[1]) : sum
        }
    }
}
