import PhoneModel

/// The contents and tokens of the Live Activities of a load test.
struct PhonePlan: Sendable {
    /// The attributes that distinguish Live Activities of one type on a phone.
    enum Attributes: String, Sendable {
        case activity, topic

        /// Returns the JSON attributes of an activity or topic, which the app requires.
        func text(_ subject: Int) -> String { #"{"\#(rawValue)":\#(subject)}"# }
    }

    let attributes: Attributes
    let population: Population
    let run: Int

    /// Returns the app of all phones.
    func app(_ type: String) -> AppType {
        AppType(type, attributes: [attributes.rawValue: .integer], state: ["number": .integer])
    }

    func startToken(_ device: Int) -> String { population.text(device, .startToken, rotation: 0) }

    func updateToken(_ device: Int, _ subject: Int) -> String {
        population.text(device, .updateToken, rotation: LoadTarget.rotation(subject, run: run))
    }
}
