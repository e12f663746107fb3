import Secrets

/// Checks the TLS files of the listener and of the Redis client. A certificate needs its key and a key its certificate;
/// they must belong together and be valid.
enum EncryptionChecks {
    /// The number of days before expiry from which a certificate gives a warning.
    private static let notice: Int64 = 14
    private static let day: Int64 = 86_400

    static func problems(
        of configuration: GatewayConfiguration, _ settings: SettingsReader, now: Int64
    ) -> [ConfigurationProblem] {
        let (http, redis) = (configuration.http, configuration.redis)
        var problems = pair(
            ("http.tls_certificate_file", http.tlsCertificateFile), ("http.tls_key_file", http.tlsKeyFile), settings,
            now)
        problems += pair(
            ("redis.certificate_file", redis.certificateFile), ("redis.key_file", redis.keyFile), settings, now)
        if let file = redis.caFile {
            problems += FileChecks.authorities("redis.ca_file", file, settings)
        }
        return problems + unused(redis, settings)
    }

    private static func pair(
        _ certificate: (key: String, path: String?), _ key: (key: String, path: String?), _ settings: SettingsReader,
        _ now: Int64
    ) -> [ConfigurationProblem] {
        switch (certificate.path, key.path) {
        case (nil, nil): return []
        case (let path?, let keyPath?):
            var problems: [ConfigurationProblem] = []
            let found = FileChecks.check(certificate.key, path, holds: ["CERTIFICATE"], "certificates", settings)
            let kinds = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
            let keyFound = FileChecks.check(key.key, keyPath, holds: kinds, "a private key", settings)
            problems += [found.problem, keyFound.problem].compactMap(\.self)
            if let rights = keyFound.rights {
                problems += FileChecks.readableByOthers(key.key, keyPath, rights, settings)
            }
            guard found.problem == nil, keyFound.problem == nil else { return problems }
            return problems + contents((certificate.key, path), (key.key, keyPath), settings, now)
        case (nil, _?): return [half(certificate.key, beside: key.key)]
        case (_?, nil): return [half(key.key, beside: certificate.key)]
        }
    }

    private static func half(_ missing: String, beside given: String) -> ConfigurationProblem {
        ConfigurationProblem(
            key: missing, "The key is missing, but \(given) is set.",
            advice: "Set it here or with \(SettingsReader.variable(of: missing)): "
                + "a certificate and its key belong together.")
    }

    private static func contents(
        _ certificate: (key: String, path: String), _ key: (key: String, path: String), _ settings: SettingsReader,
        _ now: Int64
    ) -> [ConfigurationProblem] {
        guard case .contents(let text, _) = BoundedFile.read(certificate.path, limit: FileChecks.sizeLimit),
            case .contents(let keyText, _) = BoundedFile.read(key.path, limit: FileChecks.sizeLimit)
        else { return [] }
        let read: Certificate
        do throws(Certificate.Unusable) {
            read = try Certificate(pem: text)
        } catch {
            return [
                ConfigurationProblem(
                    key: certificate.key, source: settings.source(of: certificate.key),
                    "The file \"\(certificate.path)\" is unusable: \(error.reason).",
                    advice: "Name a PEM file with the certificate first, followed by its chain.")
            ]
        }
        guard Certificate.areReadable(pem: text) else {
            return [
                ConfigurationProblem(
                    key: certificate.key, source: settings.source(of: certificate.key),
                    "The file \"\(certificate.path)\" is unusable: a certificate after the first is damaged.",
                    advice: "Name the PEM file as the authority issued it.")
            ]
        }
        var problems = validity(of: read, certificate, settings, now)
        if let fault = read.fault(ofKey: keyText) {
            problems.append(
                ConfigurationProblem(
                    key: key.key, source: settings.source(of: key.key),
                    "The file \"\(key.path)\" is unusable: \(fault).",
                    advice: "Name the PEM file of the key that belongs to \"\(certificate.path)\", "
                        + "without a passphrase."))
        }
        return problems
    }

    private static func validity(
        of read: Certificate, _ certificate: (key: String, path: String), _ settings: SettingsReader, _ now: Int64
    ) -> [ConfigurationProblem] {
        func problem(
            _ severity: ConfigurationProblem.Severity, _ words: String, _ advice: String
        ) -> [ConfigurationProblem] {
            [
                ConfigurationProblem(
                    severity: severity, key: certificate.key, source: settings.source(of: certificate.key),
                    "The certificate in \"\(certificate.path)\" \(words).", advice: advice)
            ]
        }
        if read.notAfter <= now { return problem(.error, "has expired", "Renew it.") }
        if read.notBefore > now {
            return problem(.error, "is not valid yet", "Wait until it is valid, or correct this machine's clock.")
        }
        let days = (read.notAfter - now) / day
        guard days < notice else { return [] }
        return problem(
            .warning, "expires in \(days) \(days == 1 ? "day" : "days")", "Renew it; no restart is needed.")
    }

    /// Warns of TLS files that have no effect.
    private static func unused(
        _ redis: GatewayConfiguration.Redis, _ settings: SettingsReader
    ) -> [ConfigurationProblem] {
        guard redis.url?.lowercased().hasPrefix("rediss") != true else { return [] }
        // A refused URL is absent here, although it may start with `rediss`.
        guard redis.url != nil || settings.source(of: "redis.url") == .defaultValue else { return [] }
        return [("ca_file", redis.caFile), ("certificate_file", redis.certificateFile)].filter { $0.1 != nil }.map {
            name, _ in
            ConfigurationProblem(
                severity: .warning, key: "redis.\(name)", source: settings.source(of: "redis.\(name)"),
                "The key is set, but redis.url does not start with rediss://, so Redis is reached without TLS.",
                advice: "Use rediss:// in redis.url, or remove this key.")
        }
    }
}
