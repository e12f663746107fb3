import Glibc

/// The lower-case names of the header fields that a service reads. The number of a name is its index; 0 is any other
/// name.
package struct FieldNames: Sendable {
    /// The names by number. The first is empty.
    let texts: [StaticString]
    private let numbersByLength: [[UInt8]]
    let path: UInt8
    let authorization: UInt8

    /// - Parameter texts: At most 255 names with an empty first one, `:path` and `authorization`.
    package init(_ texts: [StaticString]) {
        self.texts = texts
        var numbers = [[UInt8]](repeating: [], count: (texts.map(\.utf8CodeUnitCount).max() ?? 0) + 1)
        for (number, text) in texts.enumerated().dropFirst() {
            numbers[text.utf8CodeUnitCount].append(UInt8(number))
        }
        numbersByLength = numbers
        path = UInt8(texts.firstIndex { "\($0)" == ":path" } ?? 0)
        authorization = UInt8(texts.firstIndex { "\($0)" == "authorization" } ?? 0)
    }

    func number(of name: UnsafeBufferPointer<UInt8>) -> UInt8 {
        guard name.count < numbersByLength.count else { return 0 }
        for number in numbersByLength[name.count] where texts[Int(number)].hasBytes(name) { return number }
        return 0
    }
}

extension StaticString {
    package func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == utf8CodeUnitCount, let base = bytes.baseAddress else { return false }
        return memcmp(base, utf8Start, bytes.count) == 0
    }
}

extension [UInt8] {
    package func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == bytes.count else { return false }
        guard let base = bytes.baseAddress else { return true }
        return withUnsafeBufferPointer { $0.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? true }
    }
}
