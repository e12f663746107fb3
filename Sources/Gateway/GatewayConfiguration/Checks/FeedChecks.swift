import FeedCore
import Secrets

/// Checks that the files of feeds exist and have valid contents.
enum FeedChecks {
    private static let sizeLimit = 65_536

    static func problems(of configuration: GatewayConfiguration, _ settings: SettingsReader) -> [ConfigurationProblem] {
        configuration.topics.feeds.flatMap { feed in
            var problems: [ConfigurationProblem] = []
            let key = "\(FeedSettings.key).\(feed.number)"
            if let file = feed.caFile {
                problems += FileChecks.authorities("\(key).ca_file", file, settings)
            }
            if let file = feed.headersFile { problems += headers("\(key).headers_file", file, settings) }
            return problems
        }
    }

    private static func headers(_ key: String, _ path: String, _ settings: SettingsReader) -> [ConfigurationProblem] {
        do throws(FeedHeaders.Invalid) {
            return FileChecks.readableByOthers(key, path, try headers(path).rights, settings)
        } catch {
            return [
                ConfigurationProblem(
                    key: key, source: settings.source(of: key), "The file \"\(path)\" is unusable: \(error).",
                    advice: "Name a file with lines like `Authorization: Bearer ...`, and run chmod 600 on it.")
            ]
        }
    }

    /// Reads a file of header fields, with its permissions.
    static func headers(_ path: String) throws(FeedHeaders.Invalid) -> (headers: FeedHeaders, rights: FileRights) {
        switch BoundedFile.read(path, limit: sizeLimit) {
        case .contents(let bytes, let rights): return (try FeedHeaders(file: bytes), rights)
        case .missing: throw .init("the file does not exist")
        case .refused(let reason): throw .init("it \(reason)")
        }
    }
}
