import COpenSSL
import LiveActivity
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Tenants and keys")
struct TenantTests {
    private func admit(_ stage: StoreStage, _ key: String, _ kind: GatewayStore.KeyKind = .api) async throws
        -> Admission?
    {
        try await stage.store.admit(key: key, kind: kind, limit: 0)
    }

    @Test("A key opens what its tenant is, and only as the kind that it is")
    func keys() async throws {
        try await StoreStage.run(alone: true) { stage in
            let one = try await stage.store.createTenant(name: "b", tier: .growth)
            let two = try await stage.store.createTenant(name: "a", tier: .enterprise, requiresIdentitySignature: true)
            #expect(try await stage.store.tenants().map(\.name) == ["a", "b"])
            let api = try #require(try await admit(stage, one.apiKey))
            #expect(api.tenantID == one.tenantID && api.tier == .growth && api.isEnabled && api.rate.isAllowed)
            #expect(!api.requiresIdentitySignature)
            let sdk = try #require(try await admit(stage, two.sdkKey, .sdk))
            #expect(sdk.tenantID == two.tenantID && sdk.tier == .enterprise && sdk.requiresIdentitySignature)
            #expect(try await admit(stage, one.apiKey, .sdk) == nil)
            #expect(try await admit(stage, one.sdkKey) == nil)
            for key in ["", "ffk_", one.apiKey.uppercased(), one.apiKey + "0", one.identitySecret, "\u{0}"] {
                #expect(try await admit(stage, key) == nil)
            }
        }
    }

    @Test("A rotated key opens nothing any more, its successor does, and the other kind stays")
    func rotation() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.createTenant(name: "a", tier: .growth, requiresIdentitySignature: true)
            let fresh = try #require(try await stage.store.rotateKey(tenantID: secrets.tenantID, kind: .api))
            #expect(try await admit(stage, secrets.apiKey) == nil)
            let admission = try #require(try await admit(stage, fresh))
            #expect(admission.tenantID == secrets.tenantID && admission.requiresIdentitySignature)
            let other = try #require(try await admit(stage, secrets.sdkKey, .sdk))
            // The secret is the tenant's, not the key's.
            #expect(other.identityHash == admission.identityHash)
            let again = try #require(try await stage.store.rotateKey(tenantID: secrets.tenantID, kind: .api))
            #expect(try await admit(stage, fresh) == nil)
            #expect(try await admit(stage, again) != nil)
            #expect(try await stage.store.rotateKey(tenantID: "nobody", kind: .sdk) == nil)
        }
    }

    @Test("A disabled tenant's keys say so, also those rotated meanwhile, until it is enabled")
    func disabling() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.createTenant(name: "a", tier: .growth)
            let other = try await stage.store.createTenant(name: "b", tier: .growth)
            #expect(try await stage.store.setTenant(secrets.tenantID, enabled: false))
            #expect(try await admit(stage, secrets.apiKey)?.isEnabled == false)
            #expect(try await admit(stage, secrets.sdkKey, .sdk)?.isEnabled == false)
            #expect(try await admit(stage, other.apiKey)?.isEnabled == true)
            let fresh = try #require(try await stage.store.rotateKey(tenantID: secrets.tenantID, kind: .api))
            #expect(try await admit(stage, fresh)?.isEnabled == false)
            #expect(try await stage.store.setTenant(secrets.tenantID, enabled: true))
            #expect(try await admit(stage, fresh)?.isEnabled == true)
            #expect(try await admit(stage, secrets.apiKey) == nil)
            #expect(try await !stage.store.setTenant("nobody", enabled: true))
        }
    }

    @Test("A signature by the identity secret itself is verified with the stored hash")
    func identity() async throws {
        try await StoreStage.run { stage in
            let secrets = try await stage.store.createTenant(name: "a", tier: .growth)
            let other = try await stage.store.createTenant(name: "b", tier: .growth)
            let admission = try #require(try await admit(stage, secrets.sdkKey, .sdk))
            for insiderID in ["u-1", "", "Zoë 😀", String(repeating: "x", count: 250)] {
                let signature = Self.sign(secrets.identitySecret, insiderID)
                #expect(admission.verifies(signature: signature, of: insiderID))
                #expect(admission.verifies(signature: signature.uppercased(), of: insiderID))
                #expect(!admission.verifies(signature: signature, of: insiderID + "x"))
                #expect(!admission.verifies(signature: Self.sign(other.identitySecret, insiderID), of: insiderID))
                for bad in ["", String(signature.dropLast()), String(signature.dropLast(2)), signature + "00", "zz"] {
                    #expect(!admission.verifies(signature: bad, of: insiderID))
                }
            }
        }
    }

    private static func sign(_ secret: String, _ text: String) -> String {
        let (key, message) = (Array(secret.utf8), Array(text.utf8))
        var output = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &output, &length)
        return Hexadecimal.encode(output)
    }
}
