import APNs
import Delivery
import FCM
import PushClient
import Reactor

/// The credentials of a gateway's clients, which can be replaced while the gateway runs. A connection belongs to one
/// credential. A client that several apps share is therefore switched only when all of them have the new credential.
final class ClientCredentials: Sendable {
    private struct Signer {
        /// The apps' names; the default app's is empty.
        let apps: Set<String>
        let mark: CredentialMark
    }

    private let clients: [(client: PushClient, signer: Locked<Signer>)]
    private let senders: [(sender: FCMSender, signer: Locked<Signer>)]
    private let sharedTokens: any SharedProviderTokens
    private let wallClock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - clients: The clients, each with its credential from the options.
    ///   - wallClock: The clock that the senders to Android use.
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

    /// Replaces the credential of each client by the one in the options. A client whose new credential is unusable
    /// keeps its current one. From any thread; calls must not overlap.
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
    ///   - wanted: The new credentials by app.
    ///   - outcomes: Receives the outcome for each app.
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

/// The outcomes of a credential reload.
public struct CredentialReload: Sendable {
    /// The outcome for one app's credential.
    public enum Outcome: Equatable, Sendable {
        /// Pushes are signed with this credential.
        case inForce
        /// The credential applies after a restart, because an app that shares the connections has another credential or
        /// none.
        case waits
        /// The credential is unusable, for the given reason. The previous one stays in force.
        case unusable(String)
    }

    /// The outcomes for APNs by app name; the default app's is empty. Apps added since the start are absent.
    public var apns: [String: Outcome] = [:]
    /// The outcomes for Android by app name; the default app's is empty. Apps added since the start are absent.
    public var fcm: [String: Outcome] = [:]
    /// The clients whose credential was replaced.
    var replaced: [PushClient] = []
}
