import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

extension ScrapedPage {
    /// A page that could not be read, with a human-readable reason.
    public struct Unread: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// The maximum length of a page, in bytes.
    private static let sizeLimit = 16 << 20

    /// Reads the page at an http or https URL within two seconds. Callable on any executor.
    public static func read(_ url: String) async throws(Unread) -> ScrapedPage {
        do {
            return try await within(timeout) {
                // Shorter than the total timeout, so that the client reports why it could not connect.
                let response = try await HTTPClient.shared.execute(
                    HTTPClientRequest(url: url), timeout: .milliseconds(1500))
                guard response.status == .ok else {
                    throw Unread(description: "\(url) answers \(response.status.code)")
                }
                return try ScrapedPage(String(buffer: try await response.body.collect(upTo: sizeLimit)))
            }
        } catch let unread as Unread {
            throw unread
        } catch let fault as Fault {
            throw Unread(description: "the answer of \(url) is not a metrics page (line \(fault.line))")
        } catch {
            throw Unread(description: "not reached: \(words(of: error, url))")
        }
    }

    /// Describes an error without the libraries' names for it.
    private static func words(of error: any Error, _ url: String) -> String {
        let inner = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        if let error = inner as? IOError { return String(cString: strerror(error.errnoCode)) }
        if (error as? NIOConnectionError)?.dnsAError != nil { return "the name is unknown" }
        if let error = error as? HTTPClientError {
            let times: [HTTPClientError] = [.connectTimeout, .deadlineExceeded, .readTimeout]
            return times.contains(error) ? "no answer in time" : "the server does not speak HTTP"
        }
        return url.hasPrefix("https")
            ? "the TLS handshake failed; check that the server speaks TLS and that this machine trusts its certificate"
            : "the connection was interrupted"
    }

    private static let timeout = Duration.seconds(2)

    /// Runs `body` with a time limit that also covers slow answers.
    private static func within(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> ScrapedPage
    ) async throws -> ScrapedPage {
        try await withThrowingTaskGroup(of: ScrapedPage.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                throw Unread(description: "not reached: no answer in time")
            }
            defer { group.cancelAll() }
            guard let page = try await group.next() else { throw CancellationError() }
            return page
        }
    }
}
