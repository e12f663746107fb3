import Encodings
import LiveActivity
import MockAPNs
import MockFCM
import PhoneModel

/// The demo's phones with a strictly decoding app. They receive the pushes that the providers accepted.
struct DemoPhones {
    /// A part of the demo, with its own activity and type.
    enum Act: String {
        case segment = "MatchAttributes"
        case match = "CupAttributes"

        /// The attributes of a start, which the app requires.
        var attributes: String { self == .segment ? #"{"match":"demo"}"# : #"{"cup":"demo"}"# }
        var app: AppType {
            AppType(
                rawValue, attributes: [self == .segment ? "match" : "cup": .text],
                state: ["home": .integer, "away": .integer])
        }
    }

    private var crowd = PhoneCrowd([Act.segment.app, Act.match.app])

    /// - Parameter devices: The number of phones.
    init(_ devices: Int, _ providers: DemoProviders) {
        for phone in (0..<devices).lazy.map(DemoDevice.init) where phone.kind != .android {
            let startToken = Hexadecimal.encode(phone.startToken)
            for act in [Act.segment, .match] {
                let token = Hexadecimal.encode(phone.updateToken(act))
                crowd.own(token, on: startToken, attributes: Array(act.attributes.utf8))
            }
        }
        for mock in [providers.apns, providers.sandbox] {
            for entry in mock.ledgerEntries() where entry.answer == .answered(status: 200, reason: nil) {
                if entry.isPublish {
                    crowd.publish(apns: entry.payload, channel: entry.header("apns-channel-id") ?? "")
                } else {
                    crowd.receive(apns: entry.payload, token: entry.token)
                }
            }
        }
        for message in providers.fcm.messages() where message.answer == .answered(status: 200, error: nil) {
            crowd.receive(fcm: message.body, token: message.token)
        }
    }

    /// Compares the content on phones with the requested content.
    func check(
        _ name: String, _ act: Act, _ state: String, isOver: Bool, on phones: [DemoDevice]
    ) -> (check: DemoReport.Check, differences: [String]) {
        let wanted = WantedContent(attributes: act.attributes, state: state, isOver: isOver)
        let differences = phones.compactMap { phone in
            crowd.phone(phone.provider(token: phone.startToken)).difference(from: wanted)
                .map { "phone \(phone.number) \($0)" }
        }
        let check = DemoReport.Check(name: name, expected: phones.count, found: phones.count - differences.count)
        return (check, Array(differences.prefix(Self.namedPhones)))
    }

    /// The maximum number of phones that a report names.
    private static let namedPhones = 3
}
