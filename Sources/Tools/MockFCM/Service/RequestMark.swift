/// What requests are counted by and marked with in the ledger.
enum RequestMark {
    /// Set when the device has more collapse keys than it may.
    static let tooManyKeys: UInt16 = 0x100

    /// A message: the place of its event in the list, from 1; 0 for none.
    static func message(_ event: MockFCM.Event?) -> UInt16 {
        event.flatMap { MockFCM.Event.allCases.firstIndex(of: $0) }.map { UInt16($0) + 1 } ?? 0
    }

    static func event(_ mark: UInt16) -> MockFCM.Event? {
        let place = Int(mark & 0xFF)
        return place == 0 ? nil : MockFCM.Event.allCases[place - 1]
    }

    // On the side.
    static let validation: UInt16 = 1
    static let tokenIssued: UInt16 = 2
    /// A request for an access token that is answered with a page, or not at all.
    static let tokenWithheld: UInt16 = 3

    static func tokenRefused(_ error: MockFCM.TokenError) -> UInt16 {
        0x100 + UInt16(MockFCM.TokenError.allCases.firstIndex(of: error) ?? 0)
    }

    static func tokenError(_ mark: UInt16) -> MockFCM.TokenError? {
        mark < 0x100 ? nil : MockFCM.TokenError.allCases[Int(mark) - 0x100]
    }
}
