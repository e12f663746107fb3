import LiveActivity
import MockAPNs

extension TestStage {
    /// Returns the number of start pushes to each device.
    func starts(_ range: Range<Int>) -> [Int] {
        let pushes = Dictionary(grouping: pushes(.start), by: \.token).mapValues(\.count)
        return range.map { pushes[TestStage.hex(TestStage.startToken($0))] ?? 0 }
    }

    /// Returns the contents (`n`) of the pushes to a device's update token.
    func contents(_ number: Int, _ event: String = "update") -> [String] {
        let token = TestStage.hex(TestStage.updateToken(number))
        return mock.ledgerEntries().filter { $0.token == token && $0.aps("event")?.string == event }.compactMap {
            $0.aps("content-state").flatMap { try? $0.member("n") }?.text
        }
    }

    /// Returns content that `LedgerEntry.contentNumber` recognizes.
    static func numberedContent(_ number: Int) -> String { #"{"content_state":{"n":\#(number)}}"# }

    /// Returns a body with numbered content.
    static func body(_ id: String, number: Int) -> String { body(id, content: numberedContent(number)) }
}

extension LedgerEntry {
    /// The number in the content of a push; nil without one.
    var contentNumber: Int64? { try? aps("content-state")?.member("n")?.int64 }
}
