/// Compares the content on phones after a run with the requested content.
struct PhoneComparison: Sendable {
    private let plan: PhonePlan
    private var phones: LedgerPhones
    private var ledgers: MockLedgers

    /// Skips the ledgers' lines of other runs, so create it before the first call. Nil without mocks.
    init?(_ target: LoadTarget, _ attributes: PhonePlan.Attributes, type: String) async throws {
        guard !target.mocks.isEmpty else { return nil }
        plan = PhonePlan(attributes: attributes, population: target.population, run: target.run)
        phones = LedgerPhones(plan.app(type))
        ledgers = try MockLedgers(target.mocks)
        try await ledgers.skip()
    }

    /// Replays the ledgers on the phones that have reported.
    /// - Parameter wrongReports: Sentences about reports that the gateway assigned to another activity.
    func report(_ asked: AskedContents, wrongReports: [String] = []) async throws -> PhonesReport {
        var (phones, ledgers) = (phones, ledgers)
        for (subject, devices) in asked.reports {
            for device in devices {
                phones.own(
                    plan.updateToken(device, subject), on: plan.startToken(device),
                    attributes: plan.attributes.text(subject))
            }
        }
        try await ledgers.play(on: &phones)
        phones.reportAll()
        var report = PhonesReport(asked, phones, plan)
        report.wrong += wrongReports.count
        for sentence in wrongReports { report.add(sentence) }
        return report
    }
}
