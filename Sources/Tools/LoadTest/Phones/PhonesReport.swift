import PhoneModel

/// The comparison of the content on phones with the requested content.
public struct PhonesReport: Sendable {
    /// Live Activities that were reported and compared.
    public internal(set) var compared = 0
    /// Live Activities with another, an old or no content.
    public internal(set) var wrong = 0
    /// Live Activities that were skipped because the provider rejected a push to their phone.
    public internal(set) var refused = 0
    /// Pushes that the provider accepted and the app could not decode.
    public internal(set) var dropped = 0
    /// Sentences about the first wrong phones and dropped pushes, with both contents.
    public internal(set) var sentences: [String] = []

    /// True if every phone shows the right Live Activity.
    public var isRight: Bool { wrong == 0 && dropped == 0 }

    private static let mostSentences = 5

    init(_ asked: AskedContents, _ phones: LedgerPhones, _ plan: PhonePlan) {
        let crowd = phones.crowd
        for (subject, devices) in asked.reports {
            for device in devices {
                let startToken = plan.startToken(device)
                guard phones.refused.isDisjoint(with: [startToken, plan.updateToken(device, subject)]) else {
                    refused += 1
                    continue
                }
                compared += 1
                let phone = crowd.phone(startToken)
                guard
                    let difference = asked.difference(
                        device, of: subject, on: phone, attributes: plan.attributes.text(subject))
                else { continue }
                wrong += 1
                add("device \(device) \(difference)\(phone.drops.first.map { " (it dropped a push: \($0))" } ?? "")")
            }
        }
        let drops = crowd.drops
        dropped = drops.count
        if let first = drops.first { add("\(drops.count) accepted pushes could not be decoded: \(first)") }
    }

    mutating func add(_ sentence: String) {
        if sentences.count < Self.mostSentences { sentences.append(sentence) }
    }
}
