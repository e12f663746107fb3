import LiveActivity
import TimeCore

/// One object of a script file, with its place for messages.
struct ScriptReader {
    private let value: JSONValue
    private let place: String

    init(_ value: JSONValue, place: String) throws(MockAPNsError) {
        guard value.kind == .object else { throw MockAPNsError("\(place) must be an object") }
        self.value = value
        self.place = place
    }

    func path(_ name: String) -> String { "\(place).\(name)" }

    func member(_ name: String) throws(MockAPNsError) -> JSONValue? {
        do {
            guard let member = try value.member(name), member.kind != .null else { return nil }
            return member
        } catch {
            throw MockAPNsError("the script: \(error)")
        }
    }

    func object(_ name: String) throws(MockAPNsError) -> ScriptReader? {
        guard let member = try member(name) else { return nil }
        return try ScriptReader(member, place: path(name))
    }

    func objects(_ name: String) throws(MockAPNsError) -> [ScriptReader] {
        guard let member = try member(name) else { return [] }
        guard member.kind == .array else { throw MockAPNsError("\(path(name)) must be an array") }
        var result: [ScriptReader] = []
        for (index, element) in member.elements.enumerated() {
            result.append(try ScriptReader(element, place: "\(path(name))[\(index)]"))
        }
        return result
    }

    func string(_ name: String) throws(MockAPNsError) -> String? {
        guard let member = try member(name) else { return nil }
        guard let string = member.string else { throw MockAPNsError("\(path(name)) must be a string") }
        return string
    }

    func strings(_ name: String) throws(MockAPNsError) -> [String]? {
        guard let member = try member(name) else { return nil }
        let strings = member.elements.compactMap(\.string)
        guard member.kind == .array, strings.count == member.elementCount else {
            throw MockAPNsError("\(path(name)) must be an array of strings")
        }
        return strings
    }

    func bool(_ name: String) throws(MockAPNsError) -> Bool? {
        guard let member = try member(name) else { return nil }
        guard let bool = member.bool else { throw MockAPNsError("\(path(name)) must be true or false") }
        return bool
    }

    func int64(_ name: String, in range: ClosedRange<Int64>) throws(MockAPNsError) -> Int64? {
        guard let member = try member(name) else { return nil }
        guard let number = member.int64, range.contains(number) else {
            throw MockAPNsError(
                "\(path(name)) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func int(_ name: String, in range: ClosedRange<Int64> = 0...1_000_000_000) throws(MockAPNsError) -> Int? {
        try int64(name, in: range).map { Int($0) }
    }

    func uint32(_ name: String, in range: ClosedRange<UInt32>) throws(MockAPNsError) -> UInt32? {
        try int64(name, in: Int64(range.lowerBound)...Int64(range.upperBound)).map { UInt32($0) }
    }

    func share(_ name: String) throws(MockAPNsError) -> Double? {
        guard let member = try member(name) else { return nil }
        guard let number = member.double, (0...1).contains(number) else {
            throw MockAPNsError("\(path(name)) must be a number from 0 to 1")
        }
        return number
    }

    func milliseconds(_ name: String) throws(MockAPNsError) -> TimeInterval? {
        guard let member = try member(name) else { return nil }
        guard let number = member.double, (0...1e9).contains(number) else {
            throw MockAPNsError("\(path(name)) must be a number of milliseconds")
        }
        return TimeInterval(nanoseconds: UInt64((number * 1_000_000).rounded()))
    }
}
