import Encodings
import LiveActivity
import RedisClient
import Secrets
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Tenants and keys")
struct TenantTests {
    private func admit(_ stage: StoreStage, _ key: String, _ kind: StoredTenants.KeyKind = .api) async throws
        -> Admission?
    {
        try await stage.store.tenants.admit(key: key, kind: kind, limit: 0)
    }

    @Test("A key opens what its tenant is, and only as the kind that it is")
    func keys() async throws {
        try await StoreStage.run { stage in
            let one = try await stage.store.tenants.createTenant(name: "b", tier: .growth)
            let two = try await stage.store.tenants.createTenant(
                name: "a", tier: .enterprise, signatures: .any)
            #expect(try await stage.store.tenants.tenants().map(\.name) == ["a", "b"])
            let api = try #require(try await admit(stage, one.apiKey))
            #expect(api.tenantID == one.tenantID && api.tier == .growth && api.isEnabled && api.rate.isAllowed)
            #expect(api.signatures == .none)
            let sdk = try #require(try await admit(stage, two.sdkKey, .sdk))
            #expect(sdk.tenantID == two.tenantID && sdk.tier == .enterprise && sdk.signatures == .any)
            #expect(try await admit(stage, one.apiKey, .sdk) == nil)
            #expect(try await admit(stage, one.sdkKey) == nil)
            for key in ["", "ffk_", one.apiKey.uppercased(), one.apiKey + "0", one.identitySecret ?? "", "\u{0}"] {
                #expect(try await admit(stage, key) == nil)
            }
        }
    }

    @Test("Concurrent creations make one tenant of each name")
    func sameTime() async throws {
        try await StoreStage.run { stage in
            let names = (0..<16).map { "t\($0 % 8)" }
            let made = try await withThrowingTaskGroup(of: TenantSecrets?.self) { group in
                for name in names {
                    group.addTask { [store = stage.store] in
                        try await store.tenants.createTenant(ofNewName: name, tier: .growth, signatures: .none)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
            }
            #expect(made == 8)
            #expect(try await stage.store.tenants.tenants().map(\.name) == (0..<8).map { "t\($0)" })
        }
    }

    @Test("A disabled tenant's keys say so, also those rotated meanwhile, until it is enabled")
    func disabling() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            let other = try await stage.store.tenants.createTenant(name: "b", tier: .growth)
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, enabled: false))
            #expect(try await admit(stage, secrets.apiKey)?.isEnabled == false)
            #expect(try await admit(stage, secrets.sdkKey, .sdk)?.isEnabled == false)
            #expect(try await admit(stage, other.apiKey)?.isEnabled == true)
            let rotation = try await stage.store.tenants.rotate(.api, of: secrets.tenantID, overlap: .zero)
            guard case .rotated(let fresh, nil) = rotation else { return #expect(Bool(false), "\(rotation)") }
            #expect(try await admit(stage, fresh)?.isEnabled == false)
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, enabled: true))
            #expect(try await admit(stage, fresh)?.isEnabled == true)
            #expect(try await admit(stage, secrets.apiKey) == nil)
            #expect(try await !stage.store.tenants.setTenant("nobody", enabled: true))
        }
    }

    @Test("A limit that is set stands with every key of the tenant at once, one that is not set has its default")
    func limits() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            #expect(try await admit(stage, secrets.apiKey)?.limits == .standard)
            #expect(
                try await stage.store.tenants.setTenant(
                    secrets.tenantID, limits: [(.sdkRequests, 500), (.devices, 0), (.deviceRequests, 7)]))
            for (key, kind) in [(secrets.apiKey, StoredTenants.KeyKind.api), (secrets.sdkKey, .sdk)] {
                let limits = try #require(try await admit(stage, key, kind)?.limits)
                #expect(limits[.sdkRequests] == 500 && limits[.devices] == 0 && limits[.deviceRequests] == 7)
                #expect(limits[.userRequests] == 600 && !limits.isSet(.userRequests) && limits.isSet(.devices))
            }
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, limits: [(.deviceRequests, nil)]))
            let limits = try #require(try await stage.store.tenants.tenant(secrets.tenantID)?.tenant.limits)
            #expect(limits[.deviceRequests] == 120 && limits[.sdkRequests] == 500 && limits[.devices] == 0)
            #expect(try await admit(stage, secrets.sdkKey, .sdk)?.limits == limits)
            #expect(try await !stage.store.tenants.setTenant("nobody", limits: [(.users, 1)]))
        }
    }

    @Test("What a limit may not be is taken for the nearest that it may, and text that means nothing for nothing")
    func limitBounds() {
        let limits = TenantLimits(text: "devices_per_user=0,users=-1,device_sdk_requests_per_minute=x,unheard_of=3,,=")
        #expect(limits[.devicesPerUser] == 1 && limits[.users] == 0 && limits[.deviceRequests] == 120)
        #expect(TenantLimits(text: limits.text) == limits)
        #expect(Set(TenantLimits.Limit.allCases.map(\.name)).count == TenantLimits.Limit.allCases.count)
    }

    @Test("A change of tier counts for all keys of the tenant at once, and for those made later")
    func tiers() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .starter)
            let other = try await stage.store.tenants.createTenant(name: "b", tier: .starter)
            #expect(try await stage.store.tenants.setTenant(secrets.tenantID, tier: .enterprise))
            #expect(try await admit(stage, secrets.apiKey)?.tier == .enterprise)
            #expect(try await admit(stage, secrets.sdkKey, .sdk)?.tier == .enterprise)
            #expect(try await admit(stage, other.apiKey)?.tier == .starter)
            let rotation = try await stage.store.tenants.rotate(.api, of: secrets.tenantID, overlap: .zero)
            guard case .rotated(let fresh, nil) = rotation else { return #expect(Bool(false), "\(rotation)") }
            #expect(try await admit(stage, fresh)?.tier == .enterprise)
            #expect(try await stage.store.tenants.tenant(secrets.tenantID)?.tenant.tier == .enterprise)
            #expect(try await !stage.store.tenants.setTenant("nobody", tier: .growth))
            #expect(try await stage.store.tenants.tenant("nobody") == nil)
        }
    }

    @Test("Secrets are kept as hashes only, and of the hash of an identity secret, which could sign, twelve digits")
    func hashes() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.tenants.createTenant(name: "a", tier: .growth)
            var identity = [try #require(secrets.identitySecret)]
            var others = [secrets.apiKey, secrets.sdkKey]
            for kind in [TenantSecretKind.identity, .api] {
                let rotation = try await stage.store.tenants.rotate(
                    kind, of: secrets.tenantID, overlap: .seconds(60))
                guard case .rotated(let fresh, _) = rotation else { return #expect(Bool(false), "\(rotation)") }
                if kind == .identity { identity.append(fresh) } else { others.append(fresh) }
            }
            let texts = try await stage.texts()
            #expect(texts.count > 20)
            for text in texts {
                for secret in identity + others { #expect(!text.contains(secret.dropFirst(4).prefix(12))) }
                for secret in identity {
                    let hash = Secret.hash(secret)
                    #expect(!text.contains(Hexadecimal.encode(hash).dropFirst(IdentitySecrets.clearDigits).prefix(8)))
                    #expect(!text.contains(Hexadecimal.encode(hash).prefix(IdentitySecrets.clearDigits + 6)))
                    #expect(!text.contains(String(decoding: hash, as: UTF8.self)))
                }
            }
            // The hashes of the other secrets are in the store, so the search above works.
            for secret in others {
                #expect(texts.contains { $0.contains(Hexadecimal.encode(Secret.hash(secret))) })
            }
        }
    }
}

extension StoreStage {
    /// All keys, and the fields and values of all hashes.
    func texts() async throws -> [String] {
        var texts: [String] = []
        for key in try await keys("*") {
            texts.append(key)
            guard try await redis.value(RedisCommand("TYPE", key)).string == "hash" else { continue }
            for (name, value) in try await redis.value(RedisCommand("HGETALL", key)).fields {
                texts += [String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)]
            }
        }
        return texts
    }
}
