/// Simulated phones, found by their tokens and channels. The crowd receives the pushes that the providers accepted and
/// computes the content of each phone.
///
/// A phone begins with the token of its first start. `own` declares the token of a Live Activity. The token binds to
/// the Live Activity on that phone at its first push, or at `reportAll`.
package struct PhoneCrowd: Sendable {
    private struct Owner {
        let startToken: PushToken
        let attributes: [UInt8]?
    }

    private var decoded: DecodedPushes
    private var phones: [PushToken: Phone] = [:]
    private var owners: [PushToken: Owner] = [:]
    private var followers: [String: Set<PushToken>] = [:]

    package init(_ apps: [AppType]) { decoded = DecodedPushes(apps) }

    /// Declares the token that a phone reports for a Live Activity. Has no effect on a declared token.
    /// - Parameter attributes: The attributes of the Live Activity, as sent to the gateway; nil means any.
    package mutating func own(_ token: String, on startToken: String, attributes: [UInt8]? = nil) {
        let token = PushToken(token)
        guard owners[token] == nil else { return }
        owners[token] = Owner(startToken: PushToken(startToken), attributes: attributes)
    }

    package mutating func receive(apns payload: [UInt8], token: String) {
        receive(decoded.outcome(apns: payload), PushToken(token))
    }

    /// Receives a message through FCM. A start has the same registration token.
    package mutating func receive(fcm body: [UInt8], token: String) {
        receive(decoded.outcome(fcm: body, token: token), PushToken(token))
    }

    /// Receives a push to a broadcast channel for all phones that follow it.
    package mutating func publish(apns payload: [UInt8], channel: String) {
        for token in followers[channel] ?? [] {
            switch decoded.outcome(apns: payload) {
            case .success(let message): apply(message, to: token) { $0.channel == channel }
            case .failure(let error): phones[token]?.drop(error.description)
            }
        }
    }

    /// Binds the declared tokens that have not received a push.
    package mutating func reportAll() {
        for (token, owner) in owners { _ = phones[owner.startToken]?.report(token, attributes: owner.attributes) }
    }

    private mutating func receive(_ outcome: DecodedPushes.Outcome, _ token: PushToken) {
        switch outcome {
        case .failure(let error): phones[owners[token]?.startToken ?? token, default: Phone()].drop(error.description)
        case .success(let message):
            if message.event == .start {
                phones[token, default: Phone()].start(message)
                if let channel = message.channel { followers[channel, default: []].insert(token) }
            } else if let name = message.name {
                apply(message, to: token) { $0.name == name }
            } else if let owner = owners[token],
                let index = phones[owner.startToken]?.report(token, attributes: owner.attributes)
            {
                phones[owner.startToken]?.apply(message, at: index)
            }
        }
    }

    private mutating func apply(
        _ message: PushMessage, to token: PushToken, where isMeant: (Phone.LiveActivity) -> Bool
    ) {
        for (index, liveActivity) in (phones[token]?.liveActivities ?? []).enumerated() where isMeant(liveActivity) {
            phones[token]?.apply(message, at: index)
        }
    }
}

extension PhoneCrowd {
    /// Returns the phone whose starts use this token; a phone without Live Activities if none arrived.
    package func phone(_ startToken: String) -> Phone { phones[PushToken(startToken)] ?? Phone() }

    /// Returns the Live Activity with this update token.
    package func liveActivity(_ token: String) -> Phone.LiveActivity? {
        let token = PushToken(token)
        return owners[token].flatMap { phones[$0.startToken] }?.liveActivities.first { $0.has(token) }
    }

    /// The number of pushes that the phones could not decode, and the first reason.
    package var drops: (count: Int, first: String?) {
        phones.values.reduce(into: (0, nil)) { sum, phone in
            sum.0 += phone.drops.count
            sum.1 = sum.1 ?? phone.drops.first
        }
    }
}
