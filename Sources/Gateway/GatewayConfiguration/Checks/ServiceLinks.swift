/// Variables that Kubernetes sets in each pod for each service of its namespace. A service called `fanfare-metrics`
/// sets `FANFARE_METRICS_PORT=tcp://10.0.0.1:9464`, which is also the name of a key.
enum ServiceLinks {
    private static let schemes = ["tcp://", "udp://", "sctp://"]

    /// True if Kubernetes set this variable. Its value is a URL, which no port is.
    static func isLink(_ variable: String, _ value: String) -> Bool {
        variable.hasPrefix("FANFARE_") && variable.contains("_PORT")
            && schemes.contains { value.lowercased().hasPrefix($0) }
    }

    /// Warns of each service link with the name of a key.
    static func problems(in environment: [String: String], known: [String]) -> [ConfigurationProblem] {
        let keys = Dictionary(known.map { (SettingsReader.variable(of: $0), $0) }) { first, _ in first }
        return environment.filter { isLink($0.key, $0.value) }.keys.sorted().compactMap { variable in
            guard let key = keys[variable] else { return nil }
            return ConfigurationProblem(
                severity: .warning, key: key, source: .environment(variable: variable),
                "\(variable) is a service link of Kubernetes and is ignored.",
                advice: "Set enableServiceLinks: false in the pod's spec.")
        }
    }
}
