import ArgumentParser
import Encodings
import Foundation
import GatewayConfiguration
import ScrapedMetrics
import TerminalDisplay

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows live figures of gateways.",
        discussion: """
            It reads /metrics of each gateway and shows single figures and totals: pushes, broadcasts, requests, \
            Redis, webhooks and processes, followed by problems. Without addresses it reads the gateway of the \
            configuration. Press Ctrl-C to stop.

            EXAMPLES:
              fanfare top
              fanfare top http://10.0.0.1:9464 http://10.0.0.2:9464
              fanfare top --once --json
            """)

    @Argument(help: "Metrics addresses of gateways: http://host:port, or the complete URL of the page.")
    var gateways: [String] = []

    @Option(help: "Seconds between two readings.")
    var interval = 1.0

    @Flag(help: "Take one reading over one interval and exit; with 1 if a gateway did not answer.")
    var once = false

    @Flag(help: "Print JSON, one object a reading, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard (0.2...3600).contains(interval) else { throw ValidationError("--interval must be 0.2 to 3600 seconds") }
    }

    func run() async throws {
        let places = try gateways.isEmpty ? [configured()] : gateways.map(TopCommand.place)
        let output = TerminalOutput.standardOutput
        let environment = ProcessInfo.processInfo.environment
        var former = await pages(places)
        while true {
            // With --once, a gateway that was not reached is not read again.
            let isOver = once && former.allSatisfy { (try? $0.get()) == nil }
            if !isOver { try await Task.sleep(for: .seconds(interval)) }
            let pages = await pages(places, skipping: once ? former : nil)
            let rows = places.indices.map { index -> TopScreen.Row in
                let (name, _) = places[index]
                return (
                    name,
                    pages[index].flatMap { page in
                        former[index].map { before in
                            let seconds = (page.at - before.at) / .seconds(1)
                            return TopSample(page.page, since: before.page, seconds: max(seconds, 0.001))
                        }
                    }
                )
            }
            former = pages
            if json {
                output.write(String(decoding: TopScreen.json(rows), as: UTF8.self) + "\n")
            } else {
                let style = output.style(environment: environment)
                // Redraws from the top left corner.
                let begin = style.isInteractive && !once ? "\u{1B}[H\u{1B}[J" : ""
                output.write(begin + TopScreen.text(rows, style) + (style.isInteractive || once ? "" : "\n"))
            }
            guard !once else {
                return try TopCommand.checkAll(rows)
            }
        }
    }

    private static func checkAll(_ rows: [TopScreen.Row]) throws {
        for row in rows {
            if case .failure = row.sample { throw ExitCode.failure }
        }
    }

    private typealias Place = (name: String, url: String)
    private typealias Reading = (at: ContinuousClock.Instant, page: ScrapedPage)

    private static func place(_ text: String) throws -> Place {
        let whole = text.contains("://") ? text : "http://\(text)"
        guard let url = URL(string: whole), let scheme = url.scheme, ["http", "https"].contains(scheme),
            let host = url.host, (1...65_535).contains(url.port ?? 80)
        else { throw CommandFailure("\(text) is not an address like http://10.0.0.1:9464") }
        let path = url.path.isEmpty || url.path == "/" ? "/metrics" : url.path
        let authority = "\(Authority(host: host, port: UInt16(clamping: url.port ?? (scheme == "https" ? 443 : 80))))"
        return (authority, "\(scheme)://\(authority)\(path)")
    }

    private func configured() throws -> Place {
        let configuration = try options.load()
        guard configuration.metrics.isEnabled else {
            throw CommandFailure("metrics.enabled is off in the configuration; name the gateways as arguments")
        }
        let isPlain = configuration.metrics.port != nil || configuration.http.tlsCertificateFile == nil
        let host = configuration.metrics.port == nil ? configuration.http.host : configuration.metrics.host
        let port = configuration.metrics.port ?? configuration.http.port
        // A gateway that listens on all addresses is read over loopback.
        let reached = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        let authority = Authority(host: reached, port: UInt16(clamping: port))
        return try TopCommand.place("\(isPlain ? "http" : "https")://\(authority)")
    }

    /// Reads the page of each gateway.
    /// - Parameter former: An earlier reading, whose failures are returned again. Nil reads all gateways.
    private func pages(
        _ places: [Place], skipping former: [Result<Reading, ScrapedPage.Unread>]? = nil
    ) async -> [Result<Reading, ScrapedPage.Unread>] {
        await withTaskGroup(of: (Int, Result<Reading, ScrapedPage.Unread>).self) { group in
            for (index, place) in places.enumerated() {
                let known = former?[index]
                group.addTask {
                    if let known, case .failure = known { return (index, known) }
                    do throws(ScrapedPage.Unread) {
                        let page = try await ScrapedPage.read(place.url)
                        return (index, .success((.now, page)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
