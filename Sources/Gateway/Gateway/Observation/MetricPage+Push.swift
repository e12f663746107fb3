import Delivery
import HTTP2Core
import MetricsCore
import PushClient

extension MetricPage {
    /// Adds the counts of one client. Equal series of several clients are summed, except for the token's age.
    mutating func add(_ client: PushClientSnapshot, provider: String) {
        addPushes(client)
        addConnections(client)
        addHealth(client, provider)
        addToken(client, provider)
    }

    private mutating func addPushes(_ client: PushClientSnapshot) {
        counter(
            "fanfare_pushes_total",
            "Ended pushes, counted for each attempt, by reason."
        ) { family in
            for outcome in client.outcomes {
                family.add(
                    outcome.count,
                    [
                        "event": outcome.event.rawValue, "outcome": outcome.name.kind.rawValue,
                        "reason": outcome.name.reason,
                    ])
            }
        }
        histogram(
            "fanfare_push_queue_duration_seconds", "Time that a push waited for a connection."
        ) { $0.add(client.queued) }
        histogram(
            "fanfare_push_answer_duration_seconds", "Time from handing a push to a connection to its answer."
        ) { $0.add(client.answered) }
        gauge("fanfare_pushes_waiting", "Pushes waiting for a stream.") { $0.add(client.waiting) }
        gauge("fanfare_pushes_in_flight", "Pushes sent and not yet answered.") { $0.add(client.inFlight) }
        gauge("fanfare_push_room", "Pushes that would be accepted now.") { $0.add(client.room) }
        counter(
            "fanfare_pushes_requeued_total", "Pushes that the provider did not process and that wait again."
        ) { $0.add(client.counts.requeued) }
    }

    private mutating func addConnections(_ client: PushClientSnapshot) {
        gauge("fanfare_push_connections", "Connections to the provider.") { family in
            for state in PushClientSnapshot.Connection.State.allCases {
                for isForSuspects in [false, true] {
                    let count = client.connections.count { $0.state == state && $0.isForSuspects == isForSuspects }
                    family.add(count, ["state": state.label, "purpose": isForSuspects ? "suspects" : "ordinary"])
                }
            }
        }
        gauge("fanfare_push_streams_open", "Open streams on all connections.") { family in
            family.add(client.connections.reduce(0) { $0 + $1.openStreams })
        }
        gauge("fanfare_push_stream_limit", "Streams that the provider allows on all ready connections.") {
            family in
            family.add(client.connections.filter { $0.state == .ready }.reduce(0) { $0 + $1.streamLimit })
        }
        counter("fanfare_push_connections_opened_total", "Established connections.") {
            $0.add(client.counts.connectionsOpened)
        }
        counter("fanfare_push_connections_lost_total", "Established connections that ended unexpectedly.") {
            $0.add(client.counts.connectionsLost)
        }
        counter("fanfare_push_connection_attempts_failed_total", "Failed connection attempts.") {
            $0.add(client.counts.attemptsFailed)
        }
        counter("fanfare_push_goaways_total", "GOAWAYs of the provider by HTTP/2 error code.") { family in
            for (code, count) in client.goAways.enumerated() {
                family.add(count, ["code": HTTP2ErrorCode.name(UInt32(code))])
            }
        }
    }

    private mutating func addHealth(_ client: PushClientSnapshot, _ provider: String) {
        gauge("fanfare_push_paused", "1 if pushes are paused because of provider trouble, by kind.") {
            family in
            for kind in PauseReason.Kind.allCases {
                var isPaused = false
                if case .paused(let reason, _) = client.health { isPaused = reason.kind == kind }
                family.add(isPaused ? 1 : 0, ["provider": provider, "reason": kind.rawValue])
            }
        }
        counter("fanfare_push_probes_total", "Probe pushes to a failing provider.") {
            $0.add(client.counts.probes)
        }
        counter(
            "fanfare_push_connections_ejected_total", "Connections replaced because they failed while others worked."
        ) { $0.add(client.counts.connectionsEjected) }
    }

    private mutating func addToken(_ client: PushClientSnapshot, _ provider: String) {
        let account = client.identity?.account
        let labels: MetricFamily.Labels = [
            "provider": provider, "team": account?["team"] ?? account?["project"] ?? "", "key": account?["key"] ?? "",
        ]
        gauge("fanfare_provider_token_age_seconds", "Age of the provider token in use.") { family in
            if let age = client.authorizationAge { family.keepLargest(nanoseconds: age &* 1_000_000_000, labels) }
        }
        counter("fanfare_provider_tokens_total", "Provider tokens used so far.") {
            $0.add(client.counts.authorizations, labels)
        }
        counter(
            "fanfare_provider_tokens_unusable_total", "Shared provider tokens that were unusable."
        ) { $0.add(client.counts.unusableAuthorizations, labels) }
    }
}

extension PushClientSnapshot.Connection.State {
    fileprivate var label: String {
        switch self {
        case .opening: "opening"
        case .awaitingSettings: "awaiting_settings"
        case .ready: "ready"
        case .draining: "draining"
        }
    }
}

extension HTTP2ErrorCode {
    /// RFC 9113, section 7.
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    static func name(_ code: UInt32) -> String {
        Int(code) < names.count ? names[Int(code)] : "other"
    }
}
