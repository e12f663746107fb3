extension ValueForm where Value == Int {
    /// A whole number in decimal digits.
    static func integer(_ noun: String, in range: ClosedRange<Int>) -> ValueForm {
        ValueForm(
            noun: noun, advice: "Use a whole number from \(range.lowerBound) to \(range.upperBound).",
            parse: { text throws(ValueRefusal) in
                let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
                guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
                else { throw ValueRefusal() }
                guard let value = Int(text), range.contains(value) else {
                    throw ValueRefusal(reason: "is out of range")
                }
                return value
            }, show: { String($0) })
    }
}

extension ValueForm where Value == Duration {
    /// A time: a number of seconds, or a number with a unit.
    static func duration(in range: ClosedRange<Duration>) -> ValueForm {
        let bounds = "from \(DurationText.show(range.lowerBound)) to \(DurationText.show(range.upperBound))"
        return ValueForm(
            noun: "a duration",
            advice: "Use a number of seconds, or a number with the unit ms, s, m or h (500ms, 30s, 2m), \(bounds).",
            parse: { text throws(ValueRefusal) in
                guard let value = DurationText.parse(text) else { throw ValueRefusal() }
                guard range.contains(value) else { throw ValueRefusal(reason: "is out of range") }
                return value
            }, show: DurationText.show)
    }
}

extension ValueForm where Value == GatewayConfiguration.Limit {
    /// A time, or `off`.
    static func limit(in range: ClosedRange<Duration>) -> ValueForm {
        let duration = ValueForm<Duration>.duration(in: range)
        return ValueForm(
            noun: "a duration or off", advice: "\(duration.advice) Or off.",
            parse: { text throws(ValueRefusal) in
                text.lowercased() == "off" ? .off : .after(try duration.parse(text))
            },
            show: { limit in
                switch limit {
                case .off: "off"
                case .after(let time): duration.show(time)
                }
            })
    }
}
