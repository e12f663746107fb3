import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// Authenticates keys.
protocol AdmissionStore: Sendable {
    /// Authenticates a key and charges one request to its rate; nil for an invalid key.
    func admit(
        key: String, kind: StoredTenants.KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission?

    /// Authenticates the hash of a key that was shown before, and charges one request to its rate.
    func admit(
        hash: String, kind: StoredTenants.KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission?
}

extension StoredTenants: AdmissionStore {
    func admit(
        key: String, kind: KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission? {
        try await admit(key: key, kind: kind, limit: limit, window: window, now: nil)
    }

    func admit(
        hash: String, kind: KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission? {
        try await admit(hash: hash, kind: kind, limit: limit, window: window, now: nil)
    }
}

/// Admits requests by key, product, tier and rate, in the API's order.
struct Gatekeeper: Sendable {
    let store: any AdmissionStore
    let settings: APISettings
    let clock: @Sendable () -> WallTime

    /// Admits a customer's request, and sets the rate's headers unless an operator is signed in.
    /// - Parameter signedIn: The identity of a console session; nil if the request has a key.
    func admitCustomer(
        _ request: Request, _ signedIn: SignedIn?, _ rateHeaders: inout HTTPFields
    ) async throws -> Admission {
        let admission: Admission
        switch signedIn {
        case nil: admission = try await admit(request, .apiKey, .api, limit: settings.requestsPerMinute)
        case .customer(let hash): admission = try await admit(hash: hash, limit: settings.requestsPerMinute)
        case .operatorNamed(_, let hash): admission = try await admit(hash: hash, limit: 0)
        }
        if case .operatorNamed = signedIn {
        } else {
            rateHeaders.tell(admission.rate, limit: settings.requestsPerMinute)
        }
        try check(admission)
        return admission
    }

    /// Checks product, tier and rate of a customer's admission.
    func check(_ admission: Admission) throws {
        guard admission.isEnabled else {
            throw APIError(
                .liveActivityDisabled,
                "Live Activities are disabled for this tenant; an operator can enable them (fanfare tenant enable)")
        }
        try settings.check(admission.tier)
        guard admission.rate.isAllowed else {
            let wait = max(1, (admission.rate.resetAt - clock().milliseconds + 999) / 1000)
            throw APIError(
                .rateLimited, "the API key has made more than \(settings.requestsPerMinute) requests in a minute",
                retryAfter: Int(clamping: wait))
        }
    }

    /// Admits a device's request.
    func admitDevice(_ request: Request) async throws -> Admission {
        try await admit(request, .sdkKey, .sdk, limit: 0)
    }

    /// True if the length is possible for a key.
    static func isSane(_ key: String) -> Bool { (1...256).contains(key.utf8.count) }

    /// - Parameter hash: The hash of a tenant's API key that was shown before.
    private func admit(hash: String, limit: Int) async throws -> Admission {
        guard
            let admission = try await store.admit(hash: hash, kind: .api, limit: limit, window: settings.rateWindow)
        else { throw APIError(.unauthorized, "the key of this session is revoked; sign in with another key") }
        return admission
    }

    /// - Parameter name: The field with the key; `Authorization` is the alternative.
    private func admit(
        _ request: Request, _ name: HTTPField.Name, _ kind: StoredTenants.KeyKind, limit: Int
    ) async throws -> Admission {
        let given = request.headers[name] ?? BearerToken.key(request.headers[.authorization])
        guard let key = given, Gatekeeper.isSane(key),
            let admission = try await store.admit(key: key, kind: kind, limit: limit, window: settings.rateWindow)
        else { throw APIError.unauthorized(name.rawName, given: given) }
        return admission
    }
}

extension HTTPFields {
    /// Sets the headers about a key's rate.
    mutating func tell(_ rate: Admission.Rate, limit: Int) {
        self[.rateLimitLimit] = String(limit)
        self[.rateLimitRemaining] = String(rate.remaining)
        // Epoch seconds, rounded up.
        self[.rateLimitReset] = String((rate.resetAt + 999) / 1000)
    }
}

extension Admission {
    /// Throws if the signature (X-Identity-Signature) is not valid for the device.
    /// - Parameter now: The time of the store's clock.
    func checkIdentity(_ signature: String?, _ device: DeviceKey, now: WallTime) throws {
        let check = check(signature, of: device, now: now)
        guard check != .passed else { return }
        throw APIError(check)
    }
}

extension APIError {
    /// - Parameter check: The failed check.
    fileprivate init(_ check: IdentityCheck) {
        switch check {
        case .missing:
            self.init(.unauthorized, "X-Identity-Signature is required: this tenant's apps must sign reports")
        case .outdated:
            self.init(
                .unauthorized,
                "X-Identity-Signature has version 1: this tenant accepts only version 2 (v2.<expiry>.<hmac>)")
        case .expired: self.init(.unauthorized, "X-Identity-Signature has expired; report again with a new signature")
        case .tooLong:
            self.init(.unauthorized, "X-Identity-Signature must expire within 30 days")
        case .unreadable:
            self.init(
                .storeUnavailable,
                "this gateway cannot decrypt the tenant's identity secret (events.sealing_key_file); try again",
                retryAfter: 5)
        case .wrong, .passed:
            self.init(.unauthorized, "X-Identity-Signature does not match the insider_id, or the udid in version 2")
        }
    }
}
