import Encodings
import LiveActivity
import MockAPNs
import PhoneModel

extension TestStage {
    /// The app that decodes `TestStage.content`.
    static let app = AppType(type, attributes: ["m": .integer], state: ["home": .integer, "away": .integer])
    /// The app that decodes the content of `TestStage.topic`.
    static let topicApp = AppType(type, attributes: ["m": .integer], state: ["n": .number])

    /// The phones after all that the provider has accepted. Phone N reports `updateToken(N)`.
    /// - Parameter tokens: Further tokens of Live Activities.
    func phones(_ app: AppType = app, tokens: [ReportedToken] = []) -> TestPhones {
        var crowd = PhoneCrowd([app])
        for token in tokens {
            crowd.own(
                Self.hex(token.own), on: Self.hex(token.start), attributes: token.attributes.map { Array($0.utf8) })
        }
        for entry in mock.ledgerEntries() where entry.answer == .answered(status: 200, reason: nil) {
            if entry.isPublish {
                crowd.publish(apns: entry.payload, channel: entry.header("apns-channel-id") ?? "")
            } else {
                if let number = Self.number(startToken: entry.token) {
                    crowd.own(Self.hex(Self.updateToken(number)), on: entry.token)
                }
                crowd.receive(apns: entry.payload, token: entry.token)
            }
        }
        crowd.reportAll()
        return TestPhones(crowd: crowd)
    }

    /// The number of the device that a token to start with belongs to.
    private static func number(startToken token: String) -> Int? {
        guard let bytes = Hexadecimal.decode(token.utf8), bytes.count == 32 else { return nil }
        let number = bytes[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
        return startToken(number) == bytes ? number : nil
    }
}

/// A token of a Live Activity, with the token that its start went to.
struct ReportedToken {
    let own: [UInt8]
    let start: [UInt8]
    /// The attributes of the Live Activity; nil means the newest without a token.
    var attributes: String?
}

/// The phones of a test, which decode strictly.
struct TestPhones {
    let crowd: PhoneCrowd

    /// A phone by its number.
    subscript(_ number: Int) -> Phone { crowd.phone(TestStage.hex(TestStage.startToken(number))) }

    /// Sentences about the phones among these that do not show a content, with both contents.
    func differences(
        _ numbers: some Sequence<Int>, _ state: String, attributes: String = #"{"m":1}"#, isOver: Bool = false
    ) -> [String] {
        let wanted = WantedContent(attributes: attributes, state: state, isOver: isOver)
        return numbers.compactMap { number in
            self[number].difference(from: wanted).map { "phone \(number) \($0)" }
        }
    }
}
