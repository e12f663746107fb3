/// Reads the list of feeds: a list of groups in the file, `FANFARE_TOPICS_FEEDS_0_URL` and so on in the environment.
enum FeedSettings {
    /// The prefix of the keys of all feeds.
    static let key = "topics.feeds"
    /// The limit bounds the number of metric labels.
    private static let most = 100
    private static let fields = ["tenant", "url", "interval", "timeout", "max_bytes", "headers_file", "ca_file"]

    /// Reads all feeds. An incomplete feed is a problem and is left out.
    static func read(_ settings: inout SettingsReader) -> [GatewayConfiguration.Feed] {
        var feeds: [GatewayConfiguration.Feed] = []
        for number in numbers(settings).sorted() {
            guard let feed = read(number, &settings) else { continue }
            if let other = feeds.first(where: { $0.tenant == feed.tenant && $0.url == feed.url }) {
                settings.refuse(
                    "\(key).\(number).url", "The feed \(other.number) has the same URL and tenant.",
                    "Remove one of them.")
            }
            feeds.append(feed)
        }
        return feeds
    }

    private static func read(_ number: Int, _ settings: inout SettingsReader) -> GatewayConfiguration.Feed? {
        let key = "\(key).\(number)"
        var (tenant, url): (String?, String?)
        settings.read("\(key).tenant", .word, into: &tenant)
        settings.read("\(key).url", .feedURL, into: &url)
        var feed = GatewayConfiguration.Feed(number: number, tenant: tenant ?? "", url: url ?? "")
        settings.read("\(key).interval", .duration(in: .seconds(1)...(.seconds(3600))), into: &feed.interval)
        settings.read("\(key).timeout", .duration(in: .milliseconds(100)...(.seconds(60))), into: &feed.timeout)
        settings.read("\(key).max_bytes", .integer("a number of bytes", in: 1024...33_554_432), into: &feed.maxBytes)
        settings.read("\(key).headers_file", .path, into: &feed.headersFile)
        settings.read("\(key).ca_file", .path, into: &feed.caFile)
        // Refused values already have a problem of their own.
        let missing = ["tenant", "url"].filter { settings.source(of: "\(key).\($0)") == .defaultValue }
        if !missing.isEmpty {
            settings.refuse(
                key, "The feed lacks \(missing.joined(separator: ", ")).", "Set tenant and url, or remove the feed."
            )
        }
        return tenant == nil || url == nil ? nil : feed
    }

    private static func numbers(_ settings: SettingsReader) -> Set<Int> {
        var numbers: Set<Int> = []
        for leaf in settings.file?.leaves ?? [] where leaf.path.hasPrefix("\(key).") {
            let rest = leaf.path.dropFirst(key.count + 1)
            if let number = number(rest.prefix { $0 != "." }) { numbers.insert(number) }
        }
        let start = SettingsReader.variable(of: key) + "_"
        for variable in settings.environment.keys where variable.hasPrefix(start) {
            let rest = variable.dropFirst(start.count)
            let digits = rest.prefix { $0 != "_" }
            let field = rest.dropFirst(digits.count + 1).lowercased()
            if fields.contains(field), let number = number(digits) { numbers.insert(number) }
        }
        return numbers
    }

    private static func number(_ text: Substring) -> Int? {
        guard let number = Int(text), (0..<most).contains(number), text == "\(number)" else { return nil }
        return number
    }
}
