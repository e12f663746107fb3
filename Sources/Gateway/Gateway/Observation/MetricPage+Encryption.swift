import MetricsCore

extension MetricPage {
    /// - Parameter tls: nil for a listener that speaks none: then nothing is counted.
    mutating func add(_ tls: ListenerTLSSnapshot?) {
        gauge(
            "fanfare_tls_certificate_not_after_timestamp_seconds",
            "End of validity of the listener's certificate, in seconds since 1970."
        ) { family in
            if let tls { family.set(Double(tls.notAfter)) }
        }
        counter("fanfare_tls_handshakes_total", "Connections to the listener by result of their TLS handshake.") {
            family in
            guard let tls else { return }
            for outcome in HandshakeOutcome.allCases {
                family.add(tls.handshakes[outcome.rawValue], ["outcome": outcome.description])
            }
        }
        counter(
            "fanfare_tls_certificate_reloads_total",
            "Reloads of the listener's certificate by result."
        ) { family in
            guard let tls else { return }
            family.add(tls.reloads, ["result": "used"])
            family.add(tls.refusedReloads, ["result": "refused"])
        }
    }
}
