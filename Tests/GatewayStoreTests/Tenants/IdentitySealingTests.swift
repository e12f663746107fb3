import Encodings
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Identity secrets are sealed")
struct IdentitySealingTests {
    private static let device = DeviceKey(insiderID: "ann", udid: "d")

    private static let oneSealed: IdentitySealing = {
        var sealing = IdentitySealing()
        sealing.sealed = 1
        return sealing
    }()

    /// The tenants of the store with another key.
    private func tenants(
        _ stage: StoreStage, _ key: UInt8?, former: [UInt8] = []
    ) -> StoredTenants {
        func material(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        let identity = key.flatMap { IdentitySecrets(keyMaterial: material($0), former: former.map(material)) }
        return GatewayStore(redis: stage.redis, wallClock: { stage.now }, identity: identity).tenants
    }

    private func check(_ tenants: StoredTenants, _ secrets: TenantSecrets, _ secret: String) async throws
        -> IdentityCheck
    {
        let admission = try #require(try await tenants.admit(key: secrets.sdkKey, kind: .sdk, limit: 0))
        let signature = Hexadecimal.encode(Digest.hmacSHA256(key: Array(secret.utf8), Array("ann".utf8)))
        return admission.check(signature, of: Self.device, now: .now())
    }

    @Test("While the key is replaced the former one opens; once all is sealed anew only the present one does")
    func keys() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth, signatures: .any)
            let secret = try #require(secrets.identitySecret)
            let (strange, both, next) = (tenants(stage, 8), tenants(stage, 8, former: [9, 7]), tenants(stage, 8))
            #expect(try await check(strange, secrets, secret) == .unreadable)
            #expect(try await strange.identitySealing().isForeign)
            #expect(try await strange.sealIdentitySecrets() == 0)
            #expect(try await strange.rotate(.identity, of: secrets.tenantID, overlap: .seconds(60)) == .unreadable)
            #expect(try await check(both, secrets, secret) == .passed)
            let before = try await both.identitySealing()
            #expect(before.outdated.map(\.id) == [secrets.tenantID] && before.opens)
            let credential = Keys.credential(Hexadecimal.encode(Secret.hash(secrets.sdkKey)))
            let unsealed = try #require(
                try await stage.redis.value(RedisCommand("HGET", credential, "identity")).string)
            #expect(try await both.sealIdentitySecrets() == 1)
            #expect(try await check(next, secrets, secret) == .passed)
            // Killed before it had reached what opens with the key: repeated, it does.
            _ = try await stage.redis.value(RedisCommand("HSET", credential, "identity", unsealed))
            #expect(try await check(next, secrets, secret) == .unreadable)
            #expect(try await both.sealIdentitySecrets() == 0)
            #expect(try await check(next, secrets, secret) == .passed)
            #expect(try await next.identitySealing() == Self.oneSealed)
            #expect(try await check(stage.store.tenants, secrets, secret) == .unreadable)
            // A fresh secret replaces a lost key.
            let rotation = try await stage.store.tenants.rotate(.identity, of: secrets.tenantID, overlap: .zero)
            guard case .rotated(let fresh, nil) = rotation else { return #expect(Bool(false), "\(rotation)") }
            #expect(try await check(stage.store.tenants, secrets, fresh) == .passed)
        }
    }

    @Test("What is sealed for one tenant opens for no other")
    func bound() async throws {
        try await StoreStage.run { stage in
            let tenants = stage.store.tenants
            let one = try await tenants.createTenant(name: "a", tier: .growth)
            let two = try await tenants.createTenant(name: "b", tier: .growth)
            let secret = try #require(one.identitySecret)
            let kept = try #require(
                try await stage.redis.value(RedisCommand("HGET", Keys.tenant(one.tenantID), "identity")).string)
            _ = try await stage.redis.value(RedisCommand("HSET", Keys.tenant(two.tenantID), "identity", kept))
            #expect(try await tenants.setTenant(two.tenantID, signatures: .any))
            #expect(try await check(tenants, one, secret) == .passed)
            #expect(try await check(tenants, two, secret) == .unreadable)
        }
    }

    @Test("Without a key there is no identity secret, and nothing can be demanded; the first one comes with the key")
    func withoutKey() async throws {
        try await StoreStage.run { stage in
            let without = tenants(stage, nil)
            #expect(!without.canSeal)
            await #expect(throws: StoreError.self) {
                try await without.createTenant(name: "a", tier: .growth, signatures: .any)
            }
            let secrets = try await without.createTenant(name: "a", tier: .growth)
            #expect(secrets.identitySecret == nil)
            #expect(try await without.tenant(secrets.tenantID)?.secrets.map(\.kind) == [.api, .sdk])
            #expect(try await without.rotate(.identity, of: secrets.tenantID, overlap: .zero) == .noSealingKey)
            #expect(try await check(without, secrets, "any") == .wrong)
            #expect(try await without.identitySealing() == IdentitySealing())
            let with = stage.store.tenants
            let rotation = try await with.rotate(.identity, of: secrets.tenantID, overlap: .seconds(60))
            guard case .rotated(let first, nil) = rotation else { return #expect(Bool(false), "\(rotation)") }
            #expect(try await check(with, secrets, first) == .passed)
            #expect(try await with.tenant(secrets.tenantID)?.secrets.map(\.kind) == [.api, .sdk, .identity])
        }
    }

    @Test("A rotation while all is sealed anew is not undone by it")
    func late() async throws {
        try await StoreStage.run { stage in
            let tenants = stage.store.tenants
            let secrets = try await tenants.createTenant(name: "a", tier: .growth)
            let key = Keys.tenant(secrets.tenantID)
            let seen = try #require(try await stage.redis.value(RedisCommand("HGET", key, "identity")).string)
            let rotation = try await tenants.rotate(.identity, of: secrets.tenantID, overlap: .seconds(600))
            guard case .rotated(let fresh, _) = rotation else { return #expect(Bool(false), "\(rotation)") }
            // The sealing call has read the secret before the rotation replaced it.
            let anew = "abcdef"
            _ = try await stage.store.run(Scripts.resealSecrets(tenant: key, secrets: [seen, anew]))
            let fields = try await stage.redis.value(RedisCommand("HMGET", key, "identity", "identity_old")).array
            let (present, old) = (fields?[0].string ?? "", fields?[1].string ?? "")
            #expect(old.hasPrefix("\(anew):") && !old.contains(seen) && present != anew && present.count > 100)
            #expect(try await check(tenants, secrets, fresh) == .passed)
        }
    }
}
