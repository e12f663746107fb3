import LiveActivity
import RedisClient
import TimeCore

/// A tenant's parsed hash, with its secrets in their stored form: as hashes, identity secrets also sealed.
struct TenantRecord: Sendable {
    struct Replaced: Equatable, Sendable {
        let kept: String
        let until: WallTime
    }

    struct Secrets: Equatable, Sendable {
        let current: String
        /// The replaced secrets that are still stored, newest first.
        let replaced: [Replaced]

        /// The replaced secrets in force at a time.
        func counting(at now: WallTime) -> [Replaced] { replaced.filter { $0.until > now } }
    }

    let tenant: Tenant
    let revision: Int
    let secrets: [TenantSecretKind: Secrets]

    init?(_ id: String, _ fields: [RedisField]) {
        var texts: [String: String] = [:]
        for (name, value) in fields {
            texts[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        guard let name = texts["name"], let tier = texts["tier"].flatMap(Tenant.Tier.init) else { return nil }
        var tenant = Tenant(
            id: id, name: name, tier: tier, isEnabled: texts["enabled"] == "1",
            signatures: SignatureDemand(kept: texts["identity_required"]))
        for limit in TenantLimits.Limit.allCases {
            tenant.limits.set(limit, texts[TenantRecord.field(limit)].flatMap { Int($0) })
        }
        self.tenant = tenant
        revision = texts["revision"].flatMap { Int($0) } ?? 0
        secrets = TenantSecretKind.allCases.reduce(into: [:]) { secrets, kind in
            guard let current = texts[kind.rawValue] else { return }
            let replaced = (texts["\(kind.rawValue)_old"] ?? "").split(separator: ",").compactMap {
                entry -> Replaced? in
                let parts = entry.split(separator: ":")
                guard parts.count == 2, let until = Int64(parts[1]) else { return nil }
                return Replaced(kept: String(parts[0]), until: WallTime(milliseconds: until))
            }
            secrets[kind] = Secrets(current: current, replaced: replaced)
        }
    }

    /// The states of the secrets in force at a time.
    func states(at now: WallTime) -> [TenantSecretState] {
        TenantSecretKind.allCases.flatMap { kind -> [TenantSecretState] in
            guard let secrets = secrets[kind] else { return [] }
            return [TenantSecretState(kind: kind, kept: secrets.current, until: nil)]
                + secrets.counting(at: now).map { TenantSecretState(kind: kind, kept: $0.kept, until: $0.until) }
        }
    }

    /// The field of the tenant's hash for a limit that is set.
    static func field(_ limit: TenantLimits.Limit) -> String { "limit:\(limit.name)" }
}
