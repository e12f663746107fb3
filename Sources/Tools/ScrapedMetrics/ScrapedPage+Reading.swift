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
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(5))
            guard response.status == .ok else { throw Unread(description: "\(url) answers \(response.status.code)") }
            return try ScrapedPage(String(buffer: try await response.body.collect(upTo: sizeLimit)))
        } catch let unread as Unread {
            throw unread
        } catch let fault as Fault {
            throw Unread(description: "what \(url) answers is no page of metrics: \(fault)")
        } catch {
            throw Unread(description: "it does not answer")
        }
    }
}
