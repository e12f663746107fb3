extension ValueForm where Value == String {
    /// A path in the file system. A relative one starts at the working directory.
    static var path: ValueForm {
        ValueForm(
            noun: "a path", advice: "Use the path of a file or directory.",
            parse: { text throws(ValueRefusal) in
                guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                    throw ValueRefusal()
                }
                return text
            }, show: { $0 })
    }

    /// An identifier issued elsewhere: visible ASCII without spaces.
    static var word: ValueForm {
        ValueForm(
            noun: "an identifier", advice: "Use the identifier as the developer account shows it, without spaces.",
            parse: { text throws(ValueRefusal) in
                guard !text.isEmpty, text.utf8.count <= 255, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else { throw ValueRefusal() }
                return text
            }, show: { $0 })
    }

    /// A name or address to listen on.
    static var host: ValueForm {
        ValueForm(
            noun: "a host", advice: "Use only an address or name, like 127.0.0.1, 0.0.0.0 or ::1.",
            parse: { text throws(ValueRefusal) in
                let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
                // A single colon separates a port; an IPv6 address has several.
                guard !text.isEmpty, isPlain, text.utf8.count(where: { $0 == UInt8(ascii: ":") }) != 1
                else { throw ValueRefusal() }
                return text
            }, show: { $0 })
    }
}

extension ValueForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's names, in any case.
    static func choice(of _: Value.Type, _ noun: String) -> ValueForm {
        let names = Value.allCases.map(\.rawValue)
        return ValueForm(
            noun: noun, advice: "Use one of \(names.joined(separator: ", ")).",
            parse: { text throws(ValueRefusal) in
                guard let value = Value(rawValue: text.lowercased()) else { throw ValueRefusal() }
                return value
            }, show: \.rawValue)
    }
}
