import Glibc

/// Checks that the system has root certificates.
enum SystemRootChecks {
    /// The usual places of root certificates: bundles, and a directory with a file each.
    static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        "/etc/ssl/certs/*",
    ]

    /// - Parameter places: Files, or directories with `/*` at the end. One of them must exist and not be empty.
    static func problems(of configuration: GatewayConfiguration, places: [String]) -> [ConfigurationProblem] {
        guard !places.contains(where: holdsSomething) else { return [] }
        let isNeeded = configuration.apns.credentials != nil && configuration.apns.caFile == nil
        return [
            ConfigurationProblem(
                severity: isNeeded ? .error : .warning, key: nil,
                "This system has no root certificates, so the gateway cannot verify "
                    + (isNeeded ? "providers and receivers." : "receivers."),
                advice: "Install them: apt-get install ca-certificates.")
        ]
    }

    private static func holdsSomething(_ place: String) -> Bool {
        guard place.hasSuffix("/*") else {
            var status = stat()
            return stat(place, &status) == 0 && status.st_size > 0
        }
        guard let entries = opendir(String(place.dropLast(2))) else { return false }
        defer { closedir(entries) }
        while let entry = readdir(entries) { if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { return true } }
        return false
    }
}
