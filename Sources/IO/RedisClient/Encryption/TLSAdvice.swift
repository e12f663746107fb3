import TLS

/// The reason why a connection over TLS failed or broke, with advice.
enum TLSAdvice {
    static func reason(_ end: ConnectionEnd, names: [String], hasCertificate: Bool) -> String {
        switch end {
        case .closedByPeer: return "the server closed the connection"
        case .closedByUs, .timedOut, .proxy, .socket: return end.description
        case .tls(let error):
            if let distrust = error.distrust {
                let reason = error.description.drop { $0 != ":" }
                return "certificate verify failed\(reason). \(advice(distrust, names))"
            }
            return alerts(hasCertificate).first { error.description.contains($0.words) }
                .map { "\(error.description). \($0.advice)" } ?? error.description
        }
    }

    private static let noTLS =
        "The port does not speak TLS: use the server's tls-port with rediss://, or redis:// for a server "
        + "without TLS"
    private static let onlyTLS = "use rediss:// instead of redis:// in redis.url"

    /// The remark on an attempt that timed out. A Redis without TLS sends nothing, because it reads the TLS handshake
    /// as an incomplete command.
    static func silence(_ connection: RedisConnection?, isEncrypted: Bool) -> String {
        guard isEncrypted, connection?.stream?.isMute == true else { return "" }
        return ": the server accepted the connection but does not answer in TLS. If the server works: \(noTLS)"
    }

    /// The reason why a plain connection ended before the server sent a reply of Redis.
    static func plain(_ reason: String) -> String {
        // These bytes begin a TLS record: an alert, or a part of a handshake.
        if reason.contains(#""\x15""#) || reason.contains(#""\x16""#) { return "the server answers in TLS: \(onlyTLS)" }
        if reason.contains("Protocol error") { return "the server does not speak Redis's protocol: \(reason)" }
        return "\(reason) before the server sent a reply. If the server speaks only TLS on this port, \(onlyTLS)"
    }

    private static func advice(_ distrust: TLSError.Distrust, _ names: [String]) -> String {
        let names = names.joined(separator: " or ")
        return switch distrust {
        case .unknownIssuer:
            "Set redis.ca_file to the certificate of the authority that signed the server's certificate"
        case .otherHost:
            "Connect with a name from the certificate, or add \(names) to it as a subject alternative name; a node "
                + "of a cluster announces its name with cluster-announce-hostname and cluster-preferred-endpoint-type"
        case .expired: "Renew the server's certificate"
        case .notYetValid: "Correct the clock of this machine or of the server"
        case .other: "The server needs another certificate"
        }
    }

    /// The advice for each alert of a server, by OpenSSL's words for it.
    private static func alerts(_ hasCertificate: Bool) -> [(words: String, advice: String)] {
        let identity =
            hasCertificate
            ? "The server rejects the certificate in redis.certificate_file: "
                + "its tls-ca-cert-file must name the authority"
            : "The server requires a client certificate: set redis.certificate_file and redis.key_file"
        return [
            ("certificate required", identity), ("handshake failure", identity), ("bad certificate", identity),
            ("alert unknown ca", identity),
            ("alert certificate expired", "Renew the certificate of redis.certificate_file"),
            ("wrong version number", noTLS),
            ("alert protocol version", "Allow TLS 1.2 or 1.3 on the server (tls-protocols)"),
        ]
    }
}
