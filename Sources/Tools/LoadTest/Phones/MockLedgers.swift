import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TimeCore

/// The ledgers of mocks, read through their control ports.
struct MockLedgers: Sendable {
    private let urls: [GatewayURL]
    /// The number of lines that were read, by URL.
    private var read: [Int]
    /// The longest answer: 10,000 lines of the longest payload.
    private static let longestAnswer = 256 << 20
    /// Pauses between two looks for pushes that are under way.
    private static let pause = TimeInterval.milliseconds(500)
    /// Looks in a row without a new line, after which all pushes have come.
    private static let quietLooks = 3

    /// Throws if a URL is not of this machine.
    init(_ urls: [String]) throws(LoadTestError) {
        self.urls = try urls.map { text throws(LoadTestError) in
            let url = try GatewayURL(text)
            try HostGuard.check(url, owned: nil)
            return url
        }
        read = urls.map { _ in 0 }
    }

    /// Passes over the lines that are there.
    mutating func skip() async throws {
        for (index, url) in urls.enumerated() {
            while true {
                let count = try await lines(of: url, since: read[index]).count { $0 == UInt8(ascii: "\n") }
                if count == 0 { break }
                read[index] += count
            }
        }
    }

    /// Plays further lines, in order, until no more come.
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
            if isQuiet { try await Task.sleep(for: .nanoseconds(Int64(Self.pause.nanoseconds))) }
        }
    }

    private func lines(of url: GatewayURL, since line: Int) async throws -> [UInt8] {
        let request = HTTPClientRequest(url: "\(url)/mock/ledger?since=\(line)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { throw LoadTestError("\(url) has no ledger: \(response.status.code)") }
        return Array(try await response.body.collect(upTo: Self.longestAnswer).readableBytesView)
    }
}
