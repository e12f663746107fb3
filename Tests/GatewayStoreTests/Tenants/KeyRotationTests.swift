import Encodings
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Rotation of keys")
struct KeyRotationTests {
    private func admit(
        _ stage: StoreStage, _ key: String, _ kind: StoredTenants.KeyKind = .api
    ) async throws -> Admission? {
        try await stage.store.tenants.admit(key: key, kind: kind, limit: 0)
    }

    private func rotated(
        _ stage: StoreStage, _ kind: TenantSecretKind, _ tenantID: String, overlap: TimeCore.TimeInterval
    ) async throws -> (secret: String, until: WallTime?) {
        let rotation = try await stage.store.tenants.rotate(kind, of: tenantID, overlap: overlap)
        guard case .rotated(let secret, let until) = rotation else {
            throw Unexpected(description: "\(rotation)")
        }
        return (secret, until)
    }

    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits until the key opens nothing.
    private func ends(_ stage: StoreStage, _ key: String, _ kind: StoredTenants.KeyKind = .api) async throws -> Bool {
        let end = MonotonicTime.now() + .seconds(20)
        while try await admit(stage, key, kind) != nil {
            guard MonotonicTime.now() < end else { return false }
        }
        return true
    }

    @Test("Without an overlap the old key opens nothing any more, its successor does, and the other kind stays")
    func atOnce() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(
                name: "a", tier: .growth, signatures: .any)
            let (fresh, until) = try await rotated(stage, .api, secrets.tenantID, overlap: .zero)
            #expect(until == nil)
            #expect(try await admit(stage, secrets.apiKey) == nil)
            let admission = try #require(try await admit(stage, fresh))
            #expect(admission.tenantID == secrets.tenantID && admission.signatures == .any)
            let other = try #require(try await admit(stage, secrets.sdkKey, .sdk))
            // Only apps sign.
            #expect(other.identityHashes.count == 1 && admission.identityHashes.isEmpty)
            let (again, _) = try await rotated(stage, .api, secrets.tenantID, overlap: .zero)
            #expect(try await admit(stage, fresh) == nil)
            #expect(try await admit(stage, again) != nil)
            #expect(try await stage.store.tenants.rotate(.sdk, of: "nobody", overlap: .zero) == .noSuchTenant)
        }
    }

    @Test(
        "Within the overlap both keys open the same, afterwards the fresh one alone",
        arguments: [
            TenantSecretKind.api, .sdk,
        ])
    func overlap(kind: TenantSecretKind) async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            let old = kind == .api ? secrets.apiKey : secrets.sdkKey
            let keyKind = try #require(kind.keyKind)
            let (fresh, until) = try await rotated(stage, kind, secrets.tenantID, overlap: .seconds(5))
            #expect(until != nil)
            for key in [old, fresh] {
                let admission = try #require(try await admit(stage, key, keyKind))
                #expect(admission.tenantID == secrets.tenantID && admission.isEnabled)
            }
            // A key in its overlap follows its tenant.
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, enabled: false))
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, tier: .enterprise))
            #expect(try await admit(stage, old, keyKind)?.isEnabled == false)
            #expect(try await admit(stage, old, keyKind)?.tier == .enterprise)
            let states = try #require(try await stage.store.tenants.tenant(secrets.tenantID)).secrets.filter {
                $0.kind == kind
            }
            #expect(states.map(\.until) == [nil, until])
            #expect(states.map(\.hash) == [fresh, old].map { Hexadecimal.encode(Secret.hash($0)) })
            #expect(try await ends(stage, old, keyKind))
            #expect(try await admit(stage, fresh, keyKind) != nil)
        }
    }

    @Test(
        "After several rotations in a row all keys in their overlap open; a shorter overlap ends the earlier ones too")
    func inARow() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            var keys = [secrets.apiKey]
            for _ in 0..<3 {
                keys.append(try await rotated(stage, .api, secrets.tenantID, overlap: .seconds(600)).secret)
            }
            for key in keys { #expect(try await admit(stage, key) != nil) }
            let (last, until) = try await rotated(stage, .api, secrets.tenantID, overlap: .zero)
            #expect(until == nil)
            for key in keys { #expect(try await admit(stage, key) == nil) }
            #expect(try await admit(stage, last) != nil)
            #expect(
                try await stage.store.tenants.tenant(secrets.tenantID)?.secrets.filter { $0.kind == .api }.count == 1)
            // Revoked keys are deleted and do not return with a later change.
            #expect(
                try await stage.redis.value(RedisCommand("HEXISTS", Keys.tenant(secrets.tenantID), "api_old")).int == 0)
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, enabled: true))
            for key in keys { #expect(try await admit(stage, key) == nil) }
        }
    }

    @Test("Only so many keys may be in their overlap; without one a rotation is always possible")
    func bound() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            var last = secrets.sdkKey
            for _ in 0..<StoredTenants.mostReplacedSecrets {
                last = try await rotated(stage, .sdk, secrets.tenantID, overlap: .seconds(600)).secret
            }
            let refused = try await stage.store.tenants.rotate(.sdk, of: secrets.tenantID, overlap: .seconds(600))
            #expect(refused == .tooManyReplaced)
            #expect(try await admit(stage, last, .sdk) != nil)
            #expect(try await admit(stage, secrets.sdkKey, .sdk) != nil)
            let (fresh, _) = try await rotated(stage, .sdk, secrets.tenantID, overlap: .zero)
            #expect(try await admit(stage, fresh, .sdk) != nil)
            #expect(try await admit(stage, last, .sdk) == nil)
            #expect(try await admit(stage, secrets.sdkKey, .sdk) == nil)
        }
    }

    @Test(
        "Of rotations at the same time one succeeds; the others are told, and leave no key behind",
        arguments: [
            TimeCore.TimeInterval.zero, .seconds(600),
        ])
    func concurrent(overlap: TimeCore.TimeInterval) async throws {
        try await StoreStage.run { stage in
            for round in 0..<10 {
                let secrets = try await stage.store.tenants.createTenant(name: "a\(round)", tier: .growth)
                let rotations = try await withThrowingTaskGroup(of: KeyRotation.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await stage.store.tenants.rotate(.api, of: secrets.tenantID, overlap: overlap)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                // Rotations that began after another one had ended run in sequence, and each returns its key.
                var told: [String] = []
                for case .rotated(let secret, _) in rotations { told.append(secret) }
                #expect(told.count >= 1)
                #expect(rotations.count { $0 == .rotatedMeanwhile } == rotations.count - told.count)
                var opening = 0
                for secret in told where try await admit(stage, secret) != nil { opening += 1 }
                #expect(opening == (overlap == .zero ? 1 : told.count))
                // The tenant has only the keys that were returned.
                let known = Set(
                    (told + [secrets.apiKey, secrets.sdkKey]).map {
                        Keys.credential(Hexadecimal.encode(Secret.hash($0)))
                    })
                for key in try await stage.keys("fanfare:{k:*") {
                    let tenant = try await stage.redis.value(RedisCommand("HGET", key, "tenant")).string
                    #expect(tenant != secrets.tenantID || known.contains(key), "\(key)")
                }
            }
        }
    }

    @Test("Rotations and switches at the same time: in the end every key says what its tenant is")
    func mixed() async throws {
        try await StoreStage.run { stage in
            for round in 0..<10 {
                let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
                let keys = try await withThrowingTaskGroup(of: String?.self) { group in
                    for number in 0..<12 {
                        group.addTask {
                            switch number % 3 {
                            case 0:
                                let rotation = try await stage.store.tenants.rotate(
                                    .api, of: secrets.tenantID, overlap: number == 9 ? .zero : .seconds(600))
                                if case .rotated(let secret, _) = rotation { return secret }
                            case 1:
                                _ = try await stage.store.tenants.setTenant(secrets.tenantID, enabled: number % 2 == 0)
                            default:
                                let tier: Tenant.Tier = number % 2 == 0 ? .starter : .enterprise
                                _ = try await stage.store.tenants.setTenant(secrets.tenantID, tier: tier)
                            }
                            return nil
                        }
                    }
                    return try await group.reduce(into: [secrets.apiKey]) { $0 += $1.map { [$0] } ?? [] }
                }
                let (tenant, states) = try #require(try await stage.store.tenants.tenant(secrets.tenantID))
                let counting = Set(states.map(\.hash))
                for key in keys {
                    let admission = try await admit(stage, key)
                    #expect(
                        (admission != nil) == counting.contains(Hexadecimal.encode(Secret.hash(key))), "round \(round)")
                    if let admission {
                        #expect(
                            admission.isEnabled == tenant.isEnabled && admission.tier == tenant.tier, "round \(round)")
                    }
                }
                #expect(try await admit(stage, secrets.sdkKey, .sdk)?.isEnabled == tenant.isEnabled)
            }
        }
    }

    @Test("Whoever was gone in the middle of a rotation has shown no key, and the next rotation revokes the old one")
    func brokenOff() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            let seen = try #require(try await stage.store.tenants.record(ofTenant: secrets.tenantID)?.secrets[.api])
            // The tenant's hash changes, and then nothing more happens.
            let lost = Hexadecimal.encode(Secret.hash("lost"))
            _ = try await stage.store.run(
                Scripts.rotateSecret(
                    tenant: Keys.tenant(secrets.tenantID), kind: "api", seen: seen.current, fresh: lost, overlap: 0,
                    most: 8))
            #expect(try await admit(stage, secrets.apiKey) != nil)
            let (fresh, _) = try await rotated(stage, .api, secrets.tenantID, overlap: .zero)
            #expect(try await admit(stage, secrets.apiKey) == nil)
            #expect(try await admit(stage, fresh) != nil)
            #expect(try await admit(stage, "lost") == nil)
        }
    }

    @Test("What is written late of an older state of the tenant changes nothing, and brings no revoked key back")
    func late() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            let old = try #require(try await stage.store.tenants.record(ofTenant: secrets.tenantID))
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, enabled: false))
            let (fresh, _) = try await rotated(stage, .api, secrets.tenantID, overlap: .zero)
            try await stage.store.tenants.carry(old, now: stage.now)
            #expect(try await admit(stage, secrets.apiKey) == nil)
            #expect(try await admit(stage, fresh)?.isEnabled == false)
            #expect(try await admit(stage, secrets.sdkKey, .sdk)?.isEnabled == false)
        }
    }

    @Test(
        "Signatures by the old identity secret are verified within the overlap, by both kinds of key, and not afterwards"
    )
    func identity() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(
                name: "a", tier: .growth, signatures: .any)
            let first = try #require(secrets.identitySecret)
            func signature(_ secret: String) -> String {
                Hexadecimal.encode(Digest.hmacSHA256(key: Array(secret.utf8), Array("ann".utf8)))
            }
            func isTaken(_ secret: String) async throws -> Bool {
                let admission = try #require(try await admit(stage, secrets.sdkKey, .sdk))
                let check = admission.check(
                    signature(secret), of: DeviceKey(insiderID: "ann", udid: "d"), now: stage.now)
                return check == .passed
            }
            let (fresh, until) = try await rotated(stage, .identity, secrets.tenantID, overlap: .seconds(3))
            #expect(until != nil)
            #expect(try await isTaken(fresh))
            #expect(try await isTaken(first))
            let end = MonotonicTime.now() + .seconds(20)
            while try await isTaken(first) { try #require(MonotonicTime.now() < end) }
            #expect(try await isTaken(fresh))
            let (next, none) = try await rotated(stage, .identity, secrets.tenantID, overlap: .zero)
            #expect(none == nil)
            #expect(try await isTaken(next))
            #expect(try await !isTaken(fresh))
            // The rotation of the identity secret does not change the keys.
            #expect(try await admit(stage, secrets.apiKey) != nil)
        }
    }
}
