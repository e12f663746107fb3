import APNs
import FCM
import MockAPNs
import MockFCM
import TimeCore

/// The providers of the demo, each a mock: APNs, its sandbox, FCM.
final class DemoProviders: Sendable {
    /// A push that came to a provider.
    struct Delivery {
        /// The token that it came to; empty for a push to a channel.
        let token: String
        /// How many phones it is for.
        let phones: Int
        /// In milliseconds since 1970.
        let time: UInt64
        let isAccepted: Bool
    }

    let apns: MockAPNs
    let sandbox: MockAPNs
    let fcm: MockFCM

    /// What a project of any size would have; the demo is about this machine.
    static let messagesPerMinute = 1_000_000_000

    init(directory: String) throws {
        apns = try MockAPNs.start(MockAPNs.Options(directory: "\(directory)/apns"))
        do {
            // The same account in both environments.
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

    /// How many pushes of an event (`start`, `update`, `end`) have come.
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

    /// The pushes of an event by provider, each in the order in which they came.
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
