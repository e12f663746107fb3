import APNs
import FCM
import MockAPNs
import MockFCM
import TimeCore

/// The mock providers of the demo: APNs, its sandbox and FCM.
final class DemoProviders: Sendable {
    /// A push that arrived at a provider.
    struct Delivery {
        /// The push's token; empty for a push to a channel.
        let token: String
        /// The number of phones that the push reaches.
        let phones: Int
        /// The arrival time, in milliseconds since 1970.
        let time: UInt64
        let isAccepted: Bool
    }

    let apns: MockAPNs
    let sandbox: MockAPNs
    let fcm: MockFCM

    /// A quota above any real one, because the demo measures this machine.
    static let messagesPerMinute = 1_000_000_000

    init(directory: String) throws {
        apns = try MockAPNs.start(MockAPNs.Options(directory: "\(directory)/apns"))
        do {
            // Both environments share the account.
            sandbox = try MockAPNs.start(MockAPNs.Options(directory: "\(directory)/apns"))
        } catch {
            apns.stop()
            throw error
        }
        do {
            fcm = try MockFCM.start(MockFCM.Options(directory: "\(directory)/fcm"))
        } catch {
            apns.stop()
            sandbox.stop()
            throw error
        }
        var script = MockFCM.Script()
        script.quota.messagesPerMinute = Self.messagesPerMinute
        fcm.setScript(script)
    }

    func stop() {
        for mock in [apns, sandbox] { mock.stop() }
        fcm.stop()
    }

    /// Returns the number of received pushes of an event (`start`, `update`, `end`).
    func count(_ event: String) -> Int {
        let tokens = [apns, sandbox].reduce(0) { sum, mock in
            let counts = mock.counts()
            let pushes = MockPushEvent(rawValue: event).map {
                (counts.pushesByEvent[$0] ?? 0) + (counts.publishesByEvent[$0] ?? 0)
            }
            return sum + (pushes ?? 0)
        }
        return tokens + (MockFCM.Event(rawValue: event).flatMap { fcm.counts().messagesByEvent[$0] } ?? 0)
    }

    /// Returns the pushes of an event by provider, each list in order of arrival.
    func deliveries(_ event: String) -> [[Delivery]] {
        let ofAPNs = [apns, sandbox].map { mock in
            mock.ledgerEntries().filter { $0.event?.rawValue == event }.map {
                Delivery(
                    token: $0.token, phones: $0.isPublish ? $0.followers ?? 0 : 1, time: $0.time,
                    isAccepted: $0.answer == .answered(status: 200, reason: nil))
            }
        }
        let ofFCM = fcm.messages().filter { $0.event?.rawValue == event }.map {
            Delivery(
                token: $0.token, phones: 1, time: $0.time, isAccepted: $0.answer == .answered(status: 200, error: nil))
        }
        return ofAPNs + [ofFCM]
    }

    var connections: Int {
        [apns, sandbox].reduce(0) { $0 + $1.counts().connectionsOpened } + fcm.counts().server.connectionsOpened
    }
}
