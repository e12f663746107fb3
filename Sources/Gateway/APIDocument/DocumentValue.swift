/// A node of the document: the data model of JSON, with members in their original order.
indirect enum DocumentValue: Equatable, Sendable {
    case mapping([Member])
    case sequence([DocumentValue])
    case string(String)
    /// The number in its original spelling.
    case number(String)
    case bool(Bool)
    case null

    struct Member: Equatable, Sendable {
        let name: String
        let value: DocumentValue
    }

    /// Returns the member; nil if it is missing, or this is not a mapping.
    subscript(name: String) -> DocumentValue? {
        guard case .mapping(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The members; empty if this is not a mapping.
    var members: [(name: String, value: DocumentValue)] {
        guard case .mapping(let members) = self else { return [] }
        return members.map { ($0.name, $0.value) }
    }

    /// The elements; empty if this is not a sequence.
    var elements: [DocumentValue] {
        guard case .sequence(let elements) = self else { return [] }
        return elements
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A string without its quotes, or any other value as JSON.
    var text: String { string ?? json() }

    var isTrue: Bool { self == .bool(true) }

    /// Returns this mapping with the members of another one, which take precedence.
    func merging(_ other: DocumentValue) -> DocumentValue {
        guard case .mapping(let own) = self, case .mapping(let others) = other else { return other }
        let kept = own.map { member in others.first { $0.name == member.name } ?? member }
        return .mapping(kept + others.filter { new in !own.contains { $0.name == new.name } })
    }

    func without(_ name: String) -> DocumentValue {
        guard case .mapping(let members) = self else { return self }
        return .mapping(members.filter { $0.name != name })
    }
}
