import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// Knows what keys open.
protocol AdmissionStore: Sendable {
    /// Looks a key up and takes one request from its rate; nil for a key that opens nothing.
    func admit(
        key: String, kind: StoredTenants.KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission?

    /// The same by the key's hash, of which somebody has shown the key before.
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

/// Lets requests in: key, product, tier and rate, in the contract's order.
struct Gatekeeper: Sendable {
    let store: any AdmissionStore
    let settings: APISettings
    let clock: @Sendable () -> WallTime
    /// Told what customers' keys open.
    var keys: CustomerKeys?

    /// A customer's request. The rate's headers go onto the reply, whatever it is.
    /// - Parameter signedIn: who asks, where that is not told by a key in the request.
    func admitCustomer(
        _ request: Request, _ signedIn: SignedIn?, _ rateHeaders: inout HTTPFields
    ) async throws -> Admission {
        let admission: Admission
        switch signedIn {
        case nil: admission = try await admit(request, .apiKey, .api, limit: settings.requestsPerMinute)
        case .customer(let hash): admission = try await admit(hash: hash, limit: settings.requestsPerMinute)
        case .operatorNamed(_, let hash): admission = try await admit(hash: hash, limit: 0)
        }
        let rate = admission.rate
        if case .operatorNamed = signedIn {} else { rateHeaders.tell(rate, limit: settings.requestsPerMinute) }
        guard admission.isEnabled else {
            throw APIError(.liveActivityDisabled, "Live Activities are disabled for this tenant")
        }
        try settings.check(admission.tier)
        guard rate.isAllowed else {
            let wait = max(1, (rate.resetAt - clock().milliseconds + 999) / 1000)
            throw APIError(
                .rateLimited, "the API key has made more than \(settings.requestsPerMinute) requests in a minute",
                retryAfter: Int(clamping: wait))
        }
        if signedIn == nil, let keys, let known = admission.known,
            let key = request.headers[.apiKey] ?? BearerToken.key(request.headers[.authorization])
        {
            keys.learned(known, of: key)
        }
        return admission
    }

    /// A device's request.
    func admitDevice(_ request: Request) async throws -> Admission {
        try await admit(request, .sdkKey, .sdk, limit: 0)
    }

    /// What could be a key at all.
    static func isSane(_ key: String) -> Bool { (1...256).contains(key.utf8.count) }

    /// - Parameter hash: of a tenant's API key that was shown before.
    private func admit(hash: String, limit: Int) async throws -> Admission {
        guard
            let admission = try await store.admit(hash: hash, kind: .api, limit: limit, window: settings.rateWindow)
        else { throw APIError(.unauthorized, "the key of this session is revoked; sign in with another key") }
        return admission
    }

    /// - Parameter name: the field that holds the key; without it `Authorization` does.
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
    /// Where a key's rate stands.
    mutating func tell(_ rate: Admission.Rate, limit: Int) {
        self[.rateLimitLimit] = String(limit)
        self[.rateLimitRemaining] = String(rate.remaining)
        // Epoch seconds, rounded up.
        self[.rateLimitReset] = String((rate.resetAt + 999) / 1000)
    }
}

extension Admission {
    /// Refuses reports for a device that the signature (X-Identity-Signature) does not vouch for.
    /// - Parameter now: by the store's clock.
    func checkIdentity(_ signature: String?, _ device: DeviceKey, now: WallTime) throws {
        let check = check(signature, of: device, now: now)
        guard check != .passed else { return }
        throw APIError(check)
    }
}

extension APIError {
    /// - Parameter check: one that was not passed.
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
