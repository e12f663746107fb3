import Glibc

extension GatewayConfiguration {
    /// The purpose of a configuration. It decides the severity of problems.
    public enum Purpose: Sendable {
        /// Running a gateway.
        case gateway
        /// Working on the shared store, without credentials of an app.
        case store
    }

    /// Reads and checks the whole configuration, and changes nothing. Blocks while it reads small files and resolves
    /// the names of listeners.
    ///
    /// - Parameters:
    ///   - file: The YAML file, which must exist. Nil reads the first existing one of `defaults`, if any. If that one
    ///     cannot be read, this is a problem and no other is tried.
    ///   - purpose: For `store`, problems that concern only gateways are warnings.
    ///   - environment: The process's environment. Variables override the file; an empty one counts as not set.
    ///   - defaults: The places of the file if none is named.
    ///   - now: The time for checks of certificates, in seconds since 1970.
    ///   - descriptors: The number of files that a process here may open.
    ///   - roots: The places of the system's root certificates.
    /// - Returns: The effective values and all problems.
    public static func examine(
        file: String?, environment: [String: String], for purpose: Purpose = .gateway,
        defaults: [String] = defaultFiles, now: Int64 = Int64(time(nil)), descriptors: Int = descriptorLimit,
        roots: [String] = systemRoots
    ) -> ConfigurationReport {
        var problems: [ConfigurationProblem] = []
        let contents =
            file.map { ConfigurationFile.read($0, problems: &problems) }
            ?? ConfigurationFile.readFirst(of: defaults, problems: &problems)
        let isFileReadable = problems.isEmpty

        var settings = SettingsReader(file: contents, environment: environment)
        var configuration = GatewayConfiguration()
        configuration.read(&settings)
        problems += settings.problems
        problems += ServiceLinks.problems(in: environment, known: settings.known)
        problems += UnknownKeys.problems(
            in: contents, environment: environment.filter { !ServiceLinks.isLink($0.key, $0.value) },
            known: settings.known)
        // Half of a file would cause false problems.
        if isFileReadable {
            problems += CredentialChecks.problems(of: configuration, settings, for: purpose)
            problems += FCMChecks.problems(of: configuration, settings)
            problems += EncryptionChecks.problems(of: configuration, settings, now: now)
            problems += ListenerChecks.problems(of: configuration, settings)
            if purpose == .gateway { problems += AddressChecks.problems(of: configuration, settings) }
            problems += FeedChecks.problems(of: configuration, settings)
            problems += configuration.descriptorProblems(limit: descriptors)
            problems += FileChecks.problems(of: configuration, settings)
            problems += PrivateStoreChecks.problems(
                of: configuration, settings, for: purpose, searchPath: environment["PATH"])
            problems += SystemRootChecks.problems(of: configuration, places: roots)
        }
        return ConfigurationReport(
            file: contents?.path, entries: settings.entries, problems: problems, examined: configuration)
    }

    /// The places of the system's root certificates: files, or directories with `/*` at the end.
    public static var systemRoots: [String] { SystemRootChecks.places }
}
