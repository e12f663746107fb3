/// No two listeners want the same port of the same address.
enum ListenerChecks {
    private static let everywhere: Set = ["0.0.0.0", "::"]

    static func problems(of configuration: GatewayConfiguration, _ settings: SettingsReader) -> [ConfigurationProblem] {
        var listeners = [(key: "http.port", host: configuration.http.host, port: configuration.http.port)]
        var problems: [ConfigurationProblem] = []
        let further = [
            ("health.port", configuration.health.host, configuration.health.port),
            ("console.port", configuration.console.host, configuration.console.port),
            (
                "metrics.port", configuration.metrics.host,
                configuration.metrics.isEnabled ? configuration.metrics.port : nil
            ),
        ]
        for (key, host, port) in further {
            guard let port else { continue }
            if port != 0, let other = listeners.first(where: { $0.port == port && overlap($0.host, host) }) {
                problems.append(
                    ConfigurationProblem(
                        key: key, source: settings.source(of: key), "Port \(port) is also set as \(other.key).",
                        advice: "Use a different port for each listener, or remove this key."))
            }
            listeners.append((key, host, port))
        }
        if configuration.console.port != nil, !configuration.console.isLocal,
            configuration.http.tlsCertificateFile == nil
        {
            problems.append(
                ConfigurationProblem(
                    severity: .warning, key: "console.host", source: settings.source(of: "console.host"),
                    "The console speaks plain HTTP on a network, so others can read keys and cookies.",
                    advice: "Set http.tls_certificate_file, or use 127.0.0.1 with a proxy or an SSH tunnel."))
        }
        return problems
    }

    private static func overlap(_ one: String, _ other: String) -> Bool {
        one == other || everywhere.contains(one) || everywhere.contains(other)
            || Set([one, other]) == ["localhost", "127.0.0.1"]
    }
}
