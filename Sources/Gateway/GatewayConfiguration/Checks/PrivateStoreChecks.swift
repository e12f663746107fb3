import Glibc
import RedisServerProcess

/// Checks `redis.data_dir`, which holds the private redis-server's data and the generated sealing key. Commands that
/// need only the store report further problems themselves.
enum PrivateStoreChecks {
    private static let key = "redis.data_dir"
    private static let elsewhere = "Name a directory that belongs to the gateway's user, or set redis.url."

    static func problems(
        of configuration: GatewayConfiguration, _ settings: SettingsReader, for purpose: GatewayConfiguration.Purpose,
        searchPath: String?
    ) -> [ConfigurationProblem] {
        let redis = configuration.redis
        // With a store elsewhere, a sealing key in this directory is still used.
        let hasKey =
            purpose == .gateway && configuration.events.sealingKeyFile == nil
            && access(redis.localSealingKeyFile, F_OK) == 0
        let isPrivate = redis.url == nil
        var problems: [ConfigurationProblem] = []
        if isPrivate || hasKey { problems += directory(redis.dataDirectory, settings) }
        if purpose == .gateway, problems.isEmpty, isPrivate || hasKey {
            problems += use(of: redis.dataDirectory, settings)
        }
        if hasKey, problems.isEmpty { problems += sealingKey(redis.localSealingKeyFile, settings) }
        // With a store elsewhere, no server starts here.
        if isPrivate { problems += server(redis.serverPath, settings, searchPath) }
        return problems
    }

    private static func problem(
        _ settings: SettingsReader, _ message: String, _ advice: String
    ) -> [ConfigurationProblem] {
        [ConfigurationProblem(key: key, source: settings.source(of: key), message, advice: advice)]
    }

    private static func directory(_ path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        // A missing directory is created when needed.
        guard let mode = mode(path) else { return [] }
        let isDirectory = mode & S_IFMT == S_IFDIR
        if isDirectory, mode & S_IWOTH != 0 {
            return problem(
                settings, "Every user can write to \"\(path)\".",
                "Run: chmod o-w \(path), or name a directory that belongs to the gateway's user.")
        }
        if isDirectory, access(path, W_OK | X_OK) == 0 { return [] }
        return problem(
            settings, "\"\(path)\" is \(isDirectory ? "a directory without write permission" : "not a directory").",
            elsewhere)
    }

    /// Checks an existing directory, or that a missing one can be created.
    private static func use(of path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        guard mode(path) != nil else {
            let above = firstAbove(path)
            let isDirectory = mode(above).map { $0 & S_IFMT == S_IFDIR } == true
            guard !isDirectory || access(above, W_OK | X_OK) != 0 else { return [] }
            return problem(
                settings, "\"\(path)\" cannot be created: \"\(above)\" is not writable.", elsewhere)
        }
        do throws(RedisServerError) {
            try RedisServerProcess.verify(path, alsoHolding: GatewayConfiguration.Redis.sealingKeyName)
            return []
        } catch {
            return problem(
                settings, "\"\(path)\": \(error).",
                "Remove files of other users, or name another directory.")
        }
    }

    /// Returns the nearest existing parent directory.
    private static func firstAbove(_ path: String) -> String {
        var rest = path[...]
        while true {
            while rest.hasSuffix("/") { rest.removeLast() }
            guard let end = rest.lastIndex(of: "/") else { return "." }
            rest = rest[..<end]
            if rest.isEmpty { return "/" }
            if mode(String(rest)) != nil { return String(rest) }
        }
    }

    private static func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// Checks the key. It ignores warnings about permissions, because a gateway restricts them itself.
    private static func sealingKey(_ path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        let advice = "Restore the former key: no other key decrypts its secrets."
        return FileChecks.sealingKey(key, path, advice, settings).filter { $0.severity == .error }
    }

    private static func server(
        _ path: String, _ settings: SettingsReader, _ searchPath: String?
    ) -> [ConfigurationProblem] {
        let key = "redis.server_path"
        let places = (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(path)" }
        let candidates = path.contains("/") ? [path] : places
        if candidates.contains(where: { access($0, X_OK) == 0 }) { return [] }
        return [
            ConfigurationProblem(
                key: key, source: settings.source(of: key),
                "The executable \"\(path)\" does not exist, so serve cannot start a private redis-server.",
                advice: "Install redis-server, name its path here, or set redis.url.")
        ]
    }
}
