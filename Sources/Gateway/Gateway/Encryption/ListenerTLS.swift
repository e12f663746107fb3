import GatewayAPI
import Logging
import NIOCore
import NIOSSL
import Reactor
import Secrets
import TLS
import TimeCore

/// The listener's TLS: the certificate in force, and counts of handshakes. Changed files are read again. An unusable
/// pair leaves the previous one in force.
final class ListenerTLS: Sendable {
    private struct State: Sendable {
        var certificate: ListenerCertificate
        /// The files as they were when they were read last.
        var stamps: ListenerCertificate.Stamps
        /// The refused pair. `isTold` is true if the refusal is logged.
        var refused: (stamps: ListenerCertificate.Stamps, isTold: Bool)?
        var snapshot = ListenerTLSSnapshot()
        /// The time of the last log line about a client without TLS.
        var toldOfPlainHTTP: MonotonicTime?
    }

    private let options: ListenerTLSOptions
    private let state: Locked<State>
    private let logger: Logger
    private let clock: @Sendable () -> WallTime

    /// Throws when the pair cannot be used.
    init(
        _ options: ListenerTLSOptions, logger: Logger, clock: @escaping @Sendable () -> WallTime = { .now() }
    ) throws(ListenerCertificate.Unusable) {
        self.options = options
        self.logger = logger
        self.clock = clock
        let stamps = ListenerCertificate.Stamps(options)
        state = Locked(State(certificate: try ListenerCertificate(options, now: clock()), stamps: stamps))
    }

    var snapshot: ListenerTLSSnapshot {
        state.withLock { state in
            var snapshot = state.snapshot
            snapshot.notAfter = state.certificate.notAfter
            return snapshot
        }
    }

    /// Puts TLS in front of everything that is in a connection's pipeline. On its event loop, before it is active.
    func install(in channel: any Channel) throws {
        let context = state.withLock { $0.certificate.context }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLServerHandler(context: context), name: ClientConnection.encryption)
        try pipeline.addHandler(HandshakeWatch { [self] in note($0) })
    }

    /// Polls the files until the task is cancelled.
    func keepLooking() async {
        while !Task.isCancelled {
            try? await Task.sleep(nanoseconds: options.interval.nanoseconds)
            look()
        }
    }

    /// Takes over a changed pair. An unusable pair is logged once, and only if the next poll finds it unchanged,
    /// because its two files are replaced one after the other.
    /// - Parameter isAsked: True if an operator waits for the outcome. An unusable pair is then logged at once.
    func look(isAsked: Bool = false) {
        let stamps = ListenerCertificate.Stamps(options)
        let (known, refused) = state.withLock { ($0.stamps, $0.refused) }
        guard stamps != known || isAsked else { return }
        do throws(ListenerCertificate.Unusable) {
            let certificate = try ListenerCertificate(options, now: clock())
            state.withLock { state in
                state.certificate = certificate
                state.stamps = stamps
                state.refused = nil
                state.snapshot.reloads += 1
            }
            if let rights = stamps.key.map({ FileRights(mode: $0.permissions, owner: $0.owner) }), rights.areOpen {
                logger.warning(
                    "listener key readable by others",
                    metadata: [
                        "file": "\(options.keyFile)", "mode": "\(rights.text)",
                        "remedy": "run: chmod 600 \(options.keyFile)",
                    ])
            }
            logger.notice(
                "listener certificate reloaded",
                metadata: [
                    "file": "\(options.certificateFile)",
                    "days_left": .stringConvertible(daysLeft(certificate.notAfter)),
                ])
        } catch {
            let isKnown = refused?.stamps == stamps
            let isTold = isKnown && refused?.isTold == true
            let isTime = isKnown || isAsked
            state.withLock { state in
                state.refused = (stamps, isTold || isTime)
                if isTime, !isTold { state.snapshot.refusedReloads += 1 }
            }
            guard isTime, !isTold else { return }
            logger.error(
                "listener certificate invalid, previous one stays in force",
                metadata: ["reason": "\(error)"])
        }
    }

    private func daysLeft(_ notAfter: Int64) -> Int64 { (notAfter - clock().seconds) / 86_400 }

    private func note(_ outcome: HandshakeOutcome) {
        let now = MonotonicTime.now()
        let isToBeTold = state.withLock { state in
            state.snapshot.handshakes[outcome.rawValue] += 1
            guard outcome == .plainHTTP, state.toldOfPlainHTTP.map({ now - $0 > .seconds(60) }) ?? true else {
                return false
            }
            state.toldOfPlainHTTP = now
            return true
        }
        guard isToBeTold else { return }
        logger.warning("plain HTTP on TLS listener, connection closed")
    }
}

/// The outcome of a handshake.
enum HandshakeOutcome: Int, CaseIterable, Sendable, CustomStringConvertible {
    case completed
    /// The client speaks HTTP without TLS.
    case plainHTTP
    /// There is no version, suite or certificate that both accept.
    case refused
    /// The client went, or took longer than it may.
    case abandoned

    /// The value of the metric's label.
    var description: String {
        switch self {
        case .completed: "completed"
        case .plainHTTP: "plain_http"
        case .refused: "refused"
        case .abandoned: "abandoned"
        }
    }
}

/// The counts of a listener's TLS, and the end of its certificate's validity.
struct ListenerTLSSnapshot: Sendable {
    /// By `HandshakeOutcome`.
    var handshakes = [UInt64](repeating: 0, count: HandshakeOutcome.allCases.count)
    var reloads: UInt64 = 0
    var refusedReloads: UInt64 = 0
    /// In seconds since 1970.
    var notAfter: Int64 = 0
}
