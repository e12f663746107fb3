import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
public import TimeCore

/// Tokens that the provider refuses. They are not pushed to until their devices report them again.
public final class TokenQuarantine: StoreFeature {
    let context: StoreContext
    private let roster: StoredRoster
    private let devices: StoredDevices

    init(_ context: StoreContext, roster: StoredRoster, devices: StoredDevices) {
        self.context = context
        self.roster = roster
        self.devices = devices
    }

    /// Marks tokens that the provider refused with `BadDeviceToken` or `DeviceTokenNotForTopic`. They receive no pushes
    /// until their devices report a token again, even the same one. They are not dropped, because a wrong environment
    /// causes these answers for every token. Idempotent, so a failed call can be repeated. Runs on the reactor and
    /// calls `completion` once there.
    ///
    /// - Parameters:
    ///   - tokens: The tokens by index in the page.
    ///   - asOf: The time of the push. A token with a later report stays unmarked.
    public func add(
        _ tokens: [(index: Int, token: [UInt8])], inPage page: Int, of order: BroadcastOrder, asOf: WallTime,
        completion: @escaping (Result<Void, StoreError>) -> Void
    ) {
        guard !tokens.isEmpty else { return completion(.success(())) }
        perform(
            { () throws(StoreError) in
                try await self.add(tokens, inPage: page, of: order, asOf: asOf)
            }, then: completion)
    }

    private func add(
        _ tokens: [(index: Int, token: [UInt8])], inPage page: Int, of order: BroadcastOrder, asOf: WallTime
    ) async throws(StoreError) {
        let activity = order.activity
        guard !RosterGeometry.kind(ofPage: page).hasOneToken else {
            return try await addRegistration(tokens, inPage: page, of: order, asOf: asOf)
        }
        guard order.kind == .start else {
            return try await setAside(tokens, inPage: page, of: order, asOf: asOf)
        }
        let identities = try await self.identities(page, of: activity.id)
        try await mark(
            tokens.compactMap { index, token in identities.identity(index).map { ($0, token) } }, of: activity,
            asOf: asOf)
    }

    /// Removes update tokens from a page. A refused end is pending already.
    private func setAside(
        _ tokens: [(index: Int, token: [UInt8])], inPage page: Int, of order: BroadcastOrder, asOf: WallTime
    ) async throws(StoreError) {
        _ = try await values(
            tokens.map { index, token in
                roster.clearUpdateCell(
                    order.activity, slot: RosterGeometry.slot(page: page, index: index),
                    TokenPage.cellOfQuarantinedToken, status: nil, asOf: asOf, token: token, endOrder: order.endOrder
                ).command
            })
    }

    /// Marks the token of an Android device, which serves starts and updates alike, unless the device has another one
    /// by now.
    private func addRegistration(
        _ tokens: [(index: Int, token: [UInt8])], inPage page: Int, of order: BroadcastOrder, asOf: WallTime
    ) async throws(StoreError) {
        let activity = order.activity
        let identities = try await self.identities(page, of: activity.id)
        let refused = tokens.compactMap { index, text in
            identities.identity(index).map { (index: index, owner: $0, token: RegistrationToken.unescaped(text)) }
        }
        let present = try await devices.registrationTokens(refused.map(\.owner), tenantID: activity.tenantID)
        let meant = zip(refused, present).filter { $0.token == $1 }.map(\.0)
        if order.kind != .start {
            let cells = meant.map { (index: $0.index, token: RegistrationToken.cellContent($0.token)) }
            try await setAside(cells, inPage: page, of: order, asOf: asOf)
        }
        try await mark(meant.map { ($0.owner, $0.token) }, of: activity, asOf: asOf)
    }

    /// Marks tokens and updates their devices' rosters.
    private func mark(
        _ found: [(IdentityRun.Entry, [UInt8])], of activity: Activity, asOf: WallTime
    ) async throws(StoreError) {
        let calls = found.map { identity, token in
            devices.handOvers.markCall(
                token, .quarantined, userKey: Keys.user(activity.tenantID, identity.insiderID),
                number: identity.device, asOf: asOf)
        }
        for (index, reply) in try await values(calls.map(\.command)).enumerated() {
            let identity = found[index].0
            guard case .member(let fields) = try calls[index].reply(reply), let user = UserRecord(fields),
                let udid = user.udid(ofDevice: identity.device)
            else { continue }
            // The page of this activity is deleted after the start.
            guard user.places(udid, now: wallClock()).contains(where: { $0.id != activity.id }) else { continue }
            let key = DeviceKey(insiderID: identity.insiderID, udid: udid)
            try await devices.carryChange(of: key, user, tenantID: activity.tenantID)
        }
    }
}
