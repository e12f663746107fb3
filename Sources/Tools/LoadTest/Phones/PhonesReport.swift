import PhoneModel

/// The comparison of what phones show with what was asked for.
public struct PhonesReport: Sendable {
    /// Live Activities that were reported and compared.
    public internal(set) var compared = 0
    /// Live Activities of phones that show another content, an old one or none.
    public internal(set) var wrong = 0
    /// Live Activities that were passed over, because the provider refused a push to their phone.
    public internal(set) var refused = 0
    /// Pushes that the provider accepted and the app could not decode.
    public internal(set) var dropped = 0
    /// Sentences about the first wrong phones and dropped pushes, with both contents.
    public internal(set) var sentences: [String] = []

    /// True if every phone shows the right Live Activity.
    public var isRight: Bool { wrong == 0 && dropped == 0 }

    private static let mostSentences = 5

    /// Plays the ledgers of mocks on the phones that have reported. Nil without mocks.
    /// - Parameter wrongReports: Sentences about reports that the gateway took for another activity.
    static func comparing(
        _ asked: AskedContents, _ population: Population, _ plan: PhonePlan, type: String, mocks: [String],
        wrongReports: [String] = []
    ) async throws -> PhonesReport? {
        guard !mocks.isEmpty else { return nil }
        var phones = LedgerPhones(plan.app(type))
        for (subject, devices) in asked.reports {
            for device in devices {
                phones.own(
                    population.text(device, .updateToken, rotation: plan.rotation(subject)),
                    on: population.text(device, .startToken, rotation: 0), attributes: plan.attributes(subject))
            }
        }
        try await MockLedgers(mocks).play(on: &phones)
        phones.reportAll()
        var report = PhonesReport(asked, phones, population, plan)
        report.wrong += wrongReports.count
        for sentence in wrongReports { report.add(sentence) }
        return report
    }

    init(_ asked: AskedContents, _ phones: LedgerPhones, _ population: Population, _ plan: PhonePlan) {
        let crowd = phones.crowd
        for (subject, devices) in asked.reports {
            for device in devices {
                let startToken = population.text(device, .startToken, rotation: 0)
                guard !phones.refused.contains(startToken),
                    !phones.refused.contains(population.text(device, .updateToken, rotation: plan.rotation(subject)))
                else {
                    refused += 1
                    continue
                }
                compared += 1
                let phone = crowd.phone(startToken)
                guard
                    let difference = asked.difference(
                        device, of: subject, on: phone, attributes: plan.attributes(subject))
                else { continue }
                wrong += 1
                add("device \(device) \(difference)\(phone.drops.first.map { " (it dropped a push: \($0))" } ?? "")")
            }
        }
        let drops = crowd.drops
        dropped = drops.count
        if let first = drops.first { add("\(drops.count) accepted pushes did not decode: \(first)") }
    }

    private mutating func add(_ sentence: String) {
        if sentences.count < Self.mostSentences { sentences.append(sentence) }
    }
}

/// The contents and tokens of the Live Activities of a load test.
enum PhonePlan: Sendable {
    case activities
    case topics

    /// The attributes of an activity or topic, which its phones' app requires.
    func attributes(_ subject: Int) -> String { #"{"\#(name)":\#(subject)}"# }

    /// The app that all phones have.
    func app(_ type: String) -> AppType {
        AppType(type, attributes: [name: .integer], state: ["number": .integer])
    }

    /// The rotation of a phone's update token. Each activity has a token of its own.
    func rotation(_ subject: Int) -> Int { self == .activities ? subject : 0 }

    private var name: String { self == .activities ? "activity" : "topic" }
}
