import APNs
import Delivery
import FCM
import PushClient
import Reactor

/// What the clients of a gateway sign with, and how that is replaced while they work: connections are one credential's,
/// so a client that several apps share takes another one only when all of them have it.
final class ClientCredentials: Sendable {
    private struct Signer {
        /// The apps' names, the default one's empty.
        let apps: Set<String>
        let mark: CredentialMark
    }

    private let clients: [(client: PushClient, signer: Locked<Signer>)]
    private let senders: [(sender: FCMSender, signer: Locked<Signer>)]
    private let sharedTokens: any SharedProviderTokens
    private let wallClock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - clients: with what each is signed with, as the options say.
    ///   - wallClock: as the senders to Android were given it.
    init(
        _ options: GatewayOptions, clients: [(client: PushClient, credential: ProviderCredential)],
        android: [(options: FCMOptions, sender: FCMSender)], sharedTokens: any SharedProviderTokens,
        wallClock: @escaping @Sendable () -> UInt64
    ) throws {
        self.sharedTokens = sharedTokens
        self.wallClock = wallClock
        let apps = options.allApps
        self.clients = try clients.map { client, credential in
            let own = apps.filter { $0.credential == credential }.map(\.name)
            return (client, Locked(Signer(apps: Set(own), mark: try credential.mark())))
        }
        senders = try android.map { fcm, sender in
            let own = apps.filter { $0.fcm?.reachesTheSame(as: fcm) ?? false }.map(\.name)
            return (sender, Locked(Signer(apps: Set(own), mark: try fcm.credentialMark())))
        }
    }

    /// Has each client sign with what the options say for its apps. One that cannot keeps what it has. From any thread;
    /// calls must not overlap.
    func replace(_ options: GatewayOptions) -> CredentialReload {
        var reload = CredentialReload()
        let apps = Dictionary(options.allApps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (client, signer) in clients {
            replace(signer, apps.mapValues(\.credential), &reload.apns, mark: { try $0.mark() }) { credential in
                try client.replaceCredential(credential, sharedTokens: sharedTokens)
                reload.replaced.append(client)
            }
        }
        for (sender, signer) in senders {
            replace(signer, apps.compactMapValues(\.fcm), &reload.fcm, mark: { try $0.credentialMark() }) { fcm in
                try sender.replaceCredential(fcm, sharedTokens: sharedTokens, wallClock: wallClock)
                reload.replaced.append(sender.client)
            }
        }
        return reload
    }

    /// - Parameters:
    ///   - wanted: by app.
    ///   - outcomes: what has become of each app's.
    private func replace<Credential>(
        _ signer: Locked<Signer>, _ wanted: [String: Credential], _ outcomes: inout [String: CredentialReload.Outcome],
        mark: (Credential) throws -> CredentialMark, by body: (Credential) throws -> Void
    ) {
        let present = signer.withLock { $0 }
        let asked = present.apps.compactMap { wanted[$0] }
        var outcome = CredentialReload.Outcome.waits
        do {
            let marks = try asked.map(mark)
            if let credential = asked.first, let first = marks.first, marks.allSatisfy({ $0 == first }) {
                if first != present.mark {
                    try body(credential)
                    signer.withLock { $0 = Signer(apps: present.apps, mark: first) }
                }
                outcome = .inForce
            }
        } catch {
            outcome = .unusable("\(error)")
        }
        for app in present.apps where outcomes[app] ?? .inForce == .inForce { outcomes[app] = outcome }
    }
}

/// What has become of the credentials that were read anew.
public struct CredentialReload: Sendable {
    /// Of one app's credential.
    public enum Outcome: Equatable, Sendable {
        /// Pushes are signed with it, as before or from now on.
        case inForce
        /// It counts with the next start: an app that shares its connections has another one, or none any more.
        case waits
        /// It cannot be used, and why; the one before stays.
        case unusable(String)
    }

    /// By the app's name, the default one's empty; apps that the gateway did not have when it started are not there.
    public var apns: [String: Outcome] = [:]
    /// The same for Android.
    public var fcm: [String: Outcome] = [:]
    /// Whose credential was replaced.
    var replaced: [PushClient] = []
}

extension GatewayOptions {
    /// The default app, whose name is empty, and the others.
    fileprivate var allApps: [(name: String, credential: ProviderCredential, fcm: FCMOptions?)] {
        [("", credential, fcm)] + furtherApps.map { ($0.name, $0.credential, $0.fcm) }
    }
}
