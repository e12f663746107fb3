import LiveActivity
import TimeCore

/// Readers of single values. Each returns nil for a missing member, and throws for a wrong type or range.
extension ScriptObject {
    package func bool(_ key: Key) throws(MockError) -> Bool? {
        guard let member = member(key) else { return nil }
        guard let bool = member.bool else { throw error(key, "must be true or false") }
        return bool
    }

    /// Reads a whole number without fraction and exponent.
    package func int64(_ key: Key, in range: ClosedRange<Int64>) throws(MockError) -> Int64? {
        guard let member = member(key) else { return nil }
        guard let number = member.int64, range.contains(number) else {
            throw error(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func int(_ key: Key, in range: ClosedRange<Int64> = 0...1_000_000_000) throws(MockError) -> Int? {
        try int64(key, in: range).map { Int($0) }
    }

    package func uint32(_ key: Key, in range: ClosedRange<UInt32> = 0...(.max)) throws(MockError) -> UInt32? {
        try int64(key, in: Int64(range.lowerBound)...Int64(range.upperBound)).map { UInt32($0) }
    }

    /// Reads a number from 0 to 1.
    package func share(_ key: Key) throws(MockError) -> Double? {
        guard let member = member(key) else { return nil }
        guard let number = member.double, (0...1).contains(number) else {
            throw error(key, "must be a number from 0 to 1")
        }
        return number
    }

    /// Reads a duration in milliseconds, which may have a fraction. The maximum is 1,000,000 s.
    package func milliseconds(_ key: Key) throws(MockError) -> TimeInterval? {
        guard let member = member(key) else { return nil }
        guard let number = member.double, (0...1e9).contains(number) else {
            throw error(key, "must be a number of milliseconds from 0 to 1000000000")
        }
        return TimeInterval(nanoseconds: UInt64((number * 1_000_000).rounded()))
    }

    package func string(_ key: Key) throws(MockError) -> String? {
        guard let member = member(key) else { return nil }
        guard let string = member.string else { throw error(key, "must be a string") }
        return string
    }

    /// Reads one of the words of `Word`.
    package func word<Word: CaseIterable & RawRepresentable<String>>(
        _ key: Key, _ words: Word.Type
    ) throws(MockError) -> Word? {
        guard let text = try string(key) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue)
        throw error(key, "must be one of \(known.joined(separator: ", "))\(Self.advice(for: text, in: known))")
    }

    /// Reads one of `known`, which are too many for an error message.
    package func word(_ key: Key, among known: [String], of whom: String) throws(MockError) -> String? {
        guard let text = try string(key) else { return nil }
        guard known.contains(text) else {
            throw error(key, "\"\(text)\" is none of \(whom)\(Self.advice(for: text, in: known))")
        }
        return text
    }

    /// Reads one of the provider's reasons.
    package func reason<Reasons: ScriptReasons>(_ key: Key, _ reasons: Reasons.Type) throws(MockError) -> String? {
        guard let known = Reasons.all else { return try string(key) }
        return try word(key, among: known, of: Reasons.title)
    }

    /// Reads an array of strings that pass `isValid`.
    /// - Parameter form: The required form, for the error message.
    package func strings(
        _ key: Key, each form: String, _ isValid: (String) -> Bool
    ) throws(MockError) -> [String]? {
        guard let member = member(key) else { return nil }
        guard member.kind == .array else { throw error(key, "must be an array of strings") }
        var strings: [String] = []
        for (index, element) in member.elements.enumerated() {
            guard let string = element.string, isValid(string) else {
                throw error(key, index, "must be \(form)")
            }
            strings.append(string)
        }
        return strings
    }
}
