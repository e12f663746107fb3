// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    struct AdmitReply {
        let tenant: String
        let enabled: Bool
        let tier: String
        let secrets: String
        let demand: String
        let left: Int?
        let reset: Int
        let limits: String

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 8,
                let tenant = ScriptReply.text(parts[0]),
                let enabled = ScriptReply.flag(parts[1]),
                let tier = ScriptReply.text(parts[2]),
                let secrets = ScriptReply.text(parts[3]),
                let demand = ScriptReply.text(parts[4]),
                let left = ScriptReply.optional(ScriptReply.int)(parts[5]),
                let reset = ScriptReply.int(parts[6]),
                let limits = ScriptReply.text(parts[7])
            else { return nil }
            return Self(
                tenant: tenant, enabled: enabled, tier: tier, secrets: secrets, demand: demand, left: left,
                reset: reset, limits: limits)
        }
    }

    static let admitScript = RedisScript(
        name: "admit", source: String(cString: store_script_admit()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 5)))

    /// Reads a key's credential, and takes one request from its rate window.
    static func admit(
        credential: String, rateWindow: String, kind: some RedisArgumentConvertible,
        limit: some RedisArgumentConvertible, window: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        known: some RedisArgumentConvertible
    ) -> ScriptCall<AdmitReply?> {
        ScriptCall(
            admitScript, [credential, rateWindow], [kind, limit, window, now, known],
            read: ScriptReply.optional(AdmitReply.read))
    }

    struct ChangeTenantReply {
        let time: Int
        let tenant: [RedisField]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let time = ScriptReply.int(parts[0]),
                let tenant = ScriptReply.fields(parts[1])
            else { return nil }
            return Self(time: time, tenant: tenant)
        }
    }

    static let changeTenantScript = RedisScript(
        name: "change-tenant", source: String(cString: store_script_change_tenant()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 2)))

    /// Changes fields of a tenant.
    static func changeTenant(
        tenant: String, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<ChangeTenantReply?> {
        ScriptCall(changeTenantScript, [tenant], fields, read: ScriptReply.optional(ChangeTenantReply.read))
    }

    static let forgetSecretsScript = RedisScript(
        name: "forget-secrets", source: String(cString: store_script_forget_secrets()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1, group: 1)))

    /// Deletes expired secrets from a tenant's hash, after they were revoked in all credentials.
    static func forgetSecrets(
        tenant: String, kind: some RedisArgumentConvertible, hashes: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(forgetSecretsScript, [tenant], [kind] + hashes, read: ScriptReply.flag)
    }

    static let putCredentialScript = RedisScript(
        name: "put-credential", source: String(cString: store_script_put_credential()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2, group: 2)))

    /// Writes a key's credential unless a newer revision is stored.
    static func putCredential(
        credential: String, revision: some RedisArgumentConvertible, countsUntil: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(putCredentialScript, [credential], [revision, countsUntil] + fields, read: ScriptReply.flag)
    }

    struct ResealSecretsReply {
        let time: Int
        let tenant: [RedisField]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let time = ScriptReply.int(parts[0]),
                let tenant = ScriptReply.fields(parts[1])
            else { return nil }
            return Self(time: time, tenant: tenant)
        }
    }

    static let resealSecretsScript = RedisScript(
        name: "reseal-secrets", source: String(cString: store_script_reseal_secrets()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 0, group: 2)))

    /// Replaces the stored form of a tenant's identity secrets, if they are still stored as the caller has read
    /// them.
    static func resealSecrets(
        tenant: String, secrets: [any RedisArgumentConvertible]
    ) -> ScriptCall<ResealSecretsReply?> {
        ScriptCall(resealSecretsScript, [tenant], secrets, read: ScriptReply.optional(ResealSecretsReply.read))
    }

    enum RotateSecretReply {
        case unknown
        case raced
        case tooMany
        case rotated(time: Int, tenant: [RedisField])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .unknown
            case 1: return .raced
            case 2: return .tooMany
            case 3:
                guard parts.count >= 3,
                    let time = ScriptReply.int(parts[1]),
                    let tenant = ScriptReply.fields(parts[2])
                else { return nil }
                return .rotated(time: time, tenant: tenant)
            default: return nil
            }
        }
    }

    static let rotateSecretScript = RedisScript(
        name: "rotate-secret", source: String(cString: store_script_rotate_secret()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 5)))

    /// Replaces a secret if it is still the one that the caller has read, so one of several concurrent
    /// rotations succeeds.
    static func rotateSecret(
        tenant: String, kind: some RedisArgumentConvertible, seen: some RedisArgumentConvertible,
        fresh: some RedisArgumentConvertible, overlap: some RedisArgumentConvertible,
        most: some RedisArgumentConvertible
    ) -> ScriptCall<RotateSecretReply> {
        ScriptCall(rotateSecretScript, [tenant], [kind, seen, fresh, overlap, most], read: RotateSecretReply.read)
    }
}
