import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension ScrapedPage {
    /// Why a page could not be read, for people.
    public struct Unread: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What a page may be long, in bytes.
    private static let sizeLimit = 16 << 20

    /// Asks for the page at a URL of http or https, for at most five seconds. From any executor.
    public static func read(_ url: String) async throws(Unread) -> ScrapedPage {
        do {
            return try await within(patience) {
                let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(4))
                guard response.status == .ok else {
                    throw Unread(description: "\(url) answers \(response.status.code)")
                }
                return try ScrapedPage(String(buffer: try await response.body.collect(upTo: sizeLimit)))
            }
        } catch let unread as Unread {
            throw unread
        } catch let fault as Fault {
            throw Unread(description: "what \(url) answers is no page of metrics (line \(fault.line))")
        } catch {
            // Of a certificate that is not taken, say, and never what was answered.
            throw Unread(description: "it does not answer (\(error))")
        }
    }

    private static let patience = Duration.seconds(5)

    /// What `body` comes to, unless it takes longer: whoever answers little by little is not waited for.
    private static func within(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> ScrapedPage
    ) async throws -> ScrapedPage {
        try await withThrowingTaskGroup(of: ScrapedPage.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                throw Unread(description: "it has not answered within \(time)")
            }
            defer { group.cancelAll() }
            guard let page = try await group.next() else { throw CancellationError() }
            return page
        }
    }
}
