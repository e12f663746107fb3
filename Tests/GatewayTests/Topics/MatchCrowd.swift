import GatewayStore
import LiveActivity
import MockAPNs
import PhoneModel
import Testing

/// Phones that follow a match, simulated from the provider's ledger without the gateway. Each shows its pushes in the
/// ledger's order, and reports them when the walk requests it.
struct MatchCrowd {
    struct Display {
        let activity: String
        var token: [UInt8]
        var isSynced = false
        var content: String
        var timestamp: Int64
        var ends = 0
    }

    struct Phone {
        var follows = false
        var shown: Display?
        var starts = 0
        var shownCount = 0
    }

    private(set) var phones: [Phone]
    /// Strict apps on these phones, which see every push that the provider accepted.
    private(set) var strict = PhoneCrowd([TestStage.topicApp])
    private var seen = 0
    /// The violated invariants.
    private(set) var violations: [String] = []

    init(_ count: Int) { phones = Array(repeating: Phone(), count: count) }

    mutating func follows(_ number: Int, _ follows: Bool) { phones[number].follows = follows }

    /// Removes the Live Activity from the phone.
    mutating func dismissed(_ number: Int) { phones[number].shown = nil }

    mutating func synced(_ number: Int) { phones[number].shown?.isSynced = true }

    /// Delivers the new entries of the ledger.
    mutating func receive(_ ledger: [LedgerEntry]) {
        let startTokens = Dictionary(
            uniqueKeysWithValues: phones.indices.map { (TestStage.hex(TestStage.startToken($0)), $0) })
        for entry in ledger.dropFirst(seen) {
            if entry.answer == .answered(status: 200, reason: nil) {
                strict.receive(apns: entry.payload, token: entry.token)
            }
            let content = entry.aps("content-state").flatMap { try? $0.member("n") }?.text
            let timestamp = entry.aps("timestamp")?.int64 ?? 0
            if let number = startTokens[entry.token] {
                start(number, entry, content ?? "", timestamp)
            } else if let number = phones.firstIndex(where: { $0.shown.map { TestStage.hex($0.token) } == entry.token })
            {
                push(number, entry, content, timestamp)
            }
        }
        seen = ledger.count
        let drops = strict.drops
        if let reason = drops.first { violations.append("\(drops.count) pushes did not decode: \(reason)") }
    }

    private mutating func start(_ number: Int, _ entry: LedgerEntry, _ content: String, _ timestamp: Int64) {
        let activity = entry.headers.first { $0.name == "apns-collapse-id" }?.value ?? ""
        if let shown = phones[number].shown, shown.activity == activity {
            violations.append("phone \(number) is started again while its Live Activity is there (\(content))")
        }
        phones[number].starts += 1
        phones[number].shownCount += 1
        let serial = phones[number].shownCount
        let token = [0xE0, UInt8(serial)] + TestStage.updateToken(number).dropFirst(2)
        phones[number].shown = Display(activity: activity, token: token, content: content, timestamp: timestamp)
        strict.own(TestStage.hex(token), on: entry.token)
        strict.reportAll()
    }

    private mutating func push(_ number: Int, _ entry: LedgerEntry, _ content: String?, _ timestamp: Int64) {
        if entry.event == .end {
            phones[number].shown = nil
        } else if timestamp >= phones[number].shown?.timestamp ?? 0, let content {
            phones[number].shown?.content = content
            phones[number].shown?.timestamp = timestamp
        }
    }

    /// Returns the reason why a phone's strict app does not show a content; nil if it does.
    func difference(_ number: Int, _ state: String) -> String? {
        let wanted = WantedContent(attributes: #"{"m":1}"#, state: state)
        return strict.phone(TestStage.hex(TestStage.startToken(number))).difference(from: wanted)
    }

    /// The phones that have not yet reported their Live Activity.
    var silent: [Int] { phones.indices.filter { phones[$0].shown?.isSynced == false } }
}
