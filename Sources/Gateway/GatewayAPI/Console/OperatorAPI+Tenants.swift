import GatewayStore
import LiveActivity
import TimeCore

extension OperatorAPI {
    /// All tenants, by name.
    func list() async throws -> Reply {
        let all = try await tenants.all()
        return .success { writer in
            writer.array("tenants") { array in
                for (tenant, secrets) in all { array.object { $0.tenant(tenant, secrets) } }
            }
        }
    }

    /// Creates a tenant. Only this reply contains its keys.
    func create(_ call: OperatorCall) async throws -> Reply {
        try await noting(call, "POST /console/operator/tenants") { note in
            let body = try await body(call)
            try OperatorAPI.checkNames(of: body, ["name", "tier", "signatures"])
            guard let name = try body.text("name"), Tenant.isName(name) else {
                throw APIError.invalid("name", "one line of 1 to 200 bytes and not only white space")
            }
            note.object = name
            let tier = try tier(body) ?? .growth
            let signatures = try signatures(body) ?? .any
            guard signatures == .none || tenants.canSeal else {
                throw APIError(
                    .validationFailed,
                    "the gateway has no key for identity secrets: set events.sealing_key_file, or send \"signatures\":\"none\""
                )
            }
            guard let secrets = try await tenants.createTenant(ofNewName: name, tier: tier, signatures: signatures)
            else { throw APIError(.validationFailed, "name: the name \(name) is taken by another tenant") }
            note.tenantID = secrets.tenantID
            var reply = Reply.success {
                $0.field("tenant_id", secrets.tenantID)
                $0.field("api_key", secrets.apiKey)
                $0.field("sdk_key", secrets.sdkKey)
                $0.field("identity_secret", secrets.identitySecret)
            }
            reply.isSecret = true
            return reply
        }
    }

    /// Changes a tenant's state, tier, signatures and limits. All named values change in one step, or none does.
    func change(_ id: String, _ call: OperatorCall) async throws -> Reply {
        try await noting(call, "PATCH /console/operator/tenants/{tenant_id}", tenantID: id) { note in
            let body = try await body(call)
            try OperatorAPI.checkNames(of: body, ["enabled", "tier", "signatures", "limits"])
            let changes = TenantChanges(
                isEnabled: try body.optionalBool("enabled"), tier: try tier(body), signatures: try signatures(body),
                limits: try body.optionalObject("limits").map { try OperatorAPI.limits($0) } ?? [])
            note.object = OperatorAPI.words(changes)
            guard try await tenants.setTenant(id, changes), let (tenant, secrets) = try await tenants.tenant(id) else {
                throw APIError(.notFound, "the tenant does not exist")
            }
            return .success { $0.tenant(tenant, secrets) }
        }
    }

    /// The text of the changes in the audit log.
    private static func words(_ changes: TenantChanges) -> String {
        let settings = [
            changes.isEnabled.map { "enabled=\($0)" }, changes.tier.map { "tier=\($0.rawValue)" },
            changes.signatures.map { "signatures=\($0.name)" },
        ]
        let limits = changes.limits.map { "\($0.limit.name)=\($0.value.map { "\($0)" } ?? "default")" }
        return (settings.compactMap { $0 } + limits).joined(separator: ",")
    }

    /// Rotates a key of a tenant. Only this reply contains the new one.
    func rotate(_ id: String, _ call: OperatorCall) async throws -> Reply {
        try await noting(call, "POST /console/operator/tenants/{tenant_id}/rotate-key", tenantID: id) { note in
            let body = try await body(call)
            try OperatorAPI.checkNames(of: body, ["kind", "overlap"])
            guard let kind = try body.text("kind").flatMap(TenantSecretKind.init) else {
                throw APIError.invalid("kind", "\"api\", \"sdk\" or \"identity\"")
            }
            note.object = kind == .identity ? "identity_secret" : "\(kind.rawValue)_key"
            guard let overlap = try body.optional("overlap")?.integer,
                (0...OperatorAPI.longestOverlap).contains(overlap)
            else { throw APIError.invalid("overlap", "seconds, from 0 to \(OperatorAPI.longestOverlap)") }
            let (secret, until) = try await rotated(
                kind, id, TimeInterval(nanoseconds: UInt64(overlap) * 1_000_000_000))
            var reply = Reply.success {
                $0.field("secret", secret)
                $0.field("valid_until", until?.rfc3339)
            }
            reply.isSecret = true
            return reply
        }
    }

    /// A year, in seconds.
    private static let longestOverlap: Int64 = 8760 * 3600

    private func rotated(
        _ kind: TenantSecretKind, _ id: String, _ overlap: TimeInterval
    ) async throws -> (String, WallTime?) {
        switch try await tenants.rotate(kind, of: id, overlap: overlap) {
        case .rotated(let secret, let until): return (secret, until)
        case .noSuchTenant: throw APIError(.notFound, "the tenant does not exist")
        case .rotatedMeanwhile:
            throw APIError(
                .rateLimited, "another rotation ran at the same time; this request changed nothing", retryAfter: 1)
        case .tooManyReplaced:
            throw APIError(
                .validationFailed,
                "\(StoredTenants.mostReplacedSecrets) old keys still work, which is the maximum; revoke all with overlap 0"
            )
        case .noSealingKey:
            throw APIError(
                .validationFailed, "the gateway has no key for identity secrets: set events.sealing_key_file")
        case .unreadable:
            throw APIError(
                .validationFailed,
                "the gateway's sealing key does not decrypt the current secret, so it cannot keep working; overlap 0 creates a new secret"
            )
        }
    }

    private func tier(_ body: JSONValue) throws -> Tenant.Tier? {
        guard let text = try body.optionalString("tier") else { return nil }
        guard let tier = Tenant.Tier(rawValue: text) else {
            throw APIError.invalid("tier", Tenant.Tier.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return tier
    }

    private func signatures(_ body: JSONValue) throws -> SignatureDemand? {
        guard let text = try body.optionalString("signatures") else { return nil }
        guard let demand = SignatureDemand.allCases.first(where: { $0.name == text }) else {
            throw APIError.invalid("signatures", SignatureDemand.allCases.map(\.name).joined(separator: ", "))
        }
        return demand
    }

    /// Refuses a body with an unknown field.
    private static func checkNames(of body: JSONValue, _ known: [String]) throws {
        guard let stranger = body.memberNames.first(where: { !known.contains($0) }) else { return }
        throw APIError(
            .validationFailed,
            "\(stranger) is not a field of this request; the fields are \(known.joined(separator: ", "))")
    }

    /// Parses limits. A null value resets a limit to its default.
    private static func limits(_ object: JSONValue) throws -> [(limit: TenantLimits.Limit, value: Int?)] {
        try object.memberNames.map { name in
            let path = "limits.\(name)"
            guard let limit = TenantLimits.Limit(name: name) else {
                let names = TenantLimits.Limit.allCases.map(\.name).joined(separator: ", ")
                throw APIError(.validationFailed, "\(path) is not a limit; the limits are \(names)")
            }
            guard let value = try object.optional(name) else { return (limit, nil) }
            guard let number = value.integer.flatMap({ Int(exactly: $0) }),
                limit.range.contains(number) || number == 0 && limit.mayBeOff
            else {
                throw APIError.invalid(
                    path,
                    "a number from \(limit.range.lowerBound) to \(limit.range.upperBound), \(limit.mayBeOff ? "0 for none, " : "")or null for the default"
                )
            }
            return (limit, number)
        }
    }
}

extension SignatureDemand {
    /// The name in the console's API.
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .any: "any"
        case .version2: "v2"
        }
    }
}

extension JSONObjectWriter {
    fileprivate mutating func tenant(_ tenant: Tenant, _ secrets: [TenantSecretState]) {
        field("tenant_id", tenant.id)
        field("name", tenant.name)
        field("tier", tenant.tier.rawValue)
        field("enabled", tenant.isEnabled)
        field("signatures", tenant.signatures.name)
        array("limits") { array in
            for limit in TenantLimits.Limit.allCases {
                array.object {
                    $0.field("name", limit.name)
                    $0.field("limit", tenant.limits[limit] == 0 ? nil : tenant.limits[limit])
                    $0.field("default", !tenant.limits.isSet(limit))
                }
            }
        }
        array("keys") { array in
            for secret in secrets {
                array.object {
                    $0.field("kind", secret.kind.rawValue)
                    // Identifies the key.
                    $0.field("sha256", String(secret.hash.prefix(12)))
                    $0.field("valid_until", secret.until?.rfc3339)
                }
            }
        }
    }
}
