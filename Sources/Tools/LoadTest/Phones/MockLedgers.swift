import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TimeCore

/// Reads the ledgers of mocks through their control ports.
struct MockLedgers: Sendable {
    private let urls: [GatewayURL]
    /// The number of lines read, by URL.
    private var read: [Int]
    /// The limit of an answer in bytes: 10,000 lines with payloads of maximum length.
    private static let longestAnswer = 256 << 20
    /// The pause between two polls for pushes under way.
    private static let pause = TimeInterval.milliseconds(500)
    /// The number of consecutive polls without a new line after which all pushes have arrived.
    private static let quietLooks = 3

    /// Throws if a URL does not name this machine.
    init(_ urls: [String]) throws(LoadTestError) {
        self.urls = try urls.map { text throws(LoadTestError) in
            let url = try GatewayURL(text)
            try HostGuard.check(url, owned: nil)
            return url
        }
        read = urls.map { _ in 0 }
    }

    /// Skips the existing lines.
    mutating func skip() async throws {
        for (index, url) in urls.enumerated() {
            while true {
                let count = try await lines(of: url, since: read[index]).count { $0 == UInt8(ascii: "\n") }
                if count == 0 { break }
                read[index] += count
            }
        }
    }

    /// Applies further lines in order until no more arrive.
    mutating func play(on phones: inout LedgerPhones) async throws {
        var quietLooks = 0
        while quietLooks < Self.quietLooks {
            var isQuiet = true
            for (index, url) in urls.enumerated() {
                let lines = try await phones.read(lines(of: url, since: read[index]))
                read[index] += lines
                if lines > 0 { isQuiet = false }
            }
            quietLooks = isQuiet ? quietLooks + 1 : 0
            if isQuiet { try await Task.sleep(for: Self.pause.duration) }
        }
    }

    private func lines(of url: GatewayURL, since line: Int) async throws -> [UInt8] {
        let request = HTTPClientRequest(url: "\(url)/mock/ledger?since=\(line)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { throw LoadTestError("\(url) has no ledger: \(response.status.code)") }
        return Array(try await response.body.collect(upTo: Self.longestAnswer).readableBytesView)
    }
}
