import Glibc

extension GatewayConfiguration {
    /// What somebody wants a configuration for.
    public enum Purpose: Sendable {
        /// To run a gateway with it.
        case gateway
        /// To work on the store that gateways share; that takes no credentials of an app.
        case store
    }

    /// Reads and checks everything, and changes nothing. Blocks for the time of reading a few small files, and of
    /// looking up the names to listen at.
    ///
    /// - Parameters:
    ///   - file: The YAML file, which must exist. Nil reads the first of `defaults` that is there, if one is; one that
    ///     cannot be read is a problem, and no other is taken in its place.
    ///   - purpose: What is in a gateway's way alone is an error for one, and else a warning.
    ///   - environment: The process's environment. Variables override the file; an empty one counts as not set.
    ///   - defaults: Where a file may be when none is named.
    ///   - now: What certificates are valid at, in seconds since 1970.
    ///   - descriptors: How many files a process here could have open.
    ///   - roots: Where the system may have certificates of authorities.
    /// - Returns: The effective values, and all problems that were found.
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
        // Half of a file would give problems that are none.
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

    /// Where systems have certificates of authorities: files, and with `/*` at the end directories.
    public static var systemRoots: [String] { SystemRootChecks.places }
}
