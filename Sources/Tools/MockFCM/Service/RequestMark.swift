/// The marks of requests in counts and ledger.
enum RequestMark {
    /// The flag of a message that exceeds the device's number of collapse keys.
    static let tooManyKeys: UInt16 = 0x100

    /// Returns the mark of a message: the position of its event from 1 in `allCases`; 0 without an event.
    static func message(_ event: MockFCM.Event?) -> UInt16 {
        event.flatMap { MockFCM.Event.allCases.firstIndex(of: $0) }.map { UInt16($0) + 1 } ?? 0
    }

    static func event(_ mark: UInt16) -> MockFCM.Event? {
        let place = Int(mark & 0xFF)
        return place == 0 ? nil : MockFCM.Event.allCases[place - 1]
    }

    // Marks of requests with `isAside`.
    static let validation: UInt16 = 1
    static let tokenIssued: UInt16 = 2
    /// A token request that gets a page or no answer.
    static let tokenWithheld: UInt16 = 3

    static func tokenRefused(_ error: MockFCM.TokenError) -> UInt16 {
        0x100 + UInt16(MockFCM.TokenError.allCases.firstIndex(of: error) ?? 0)
    }

    static func tokenError(_ mark: UInt16) -> MockFCM.TokenError? {
        mark < 0x100 ? nil : MockFCM.TokenError.allCases[Int(mark) - 0x100]
    }
}
