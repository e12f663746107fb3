/// A node of the document: JSON's data, with members in the order they were written in.
indirect enum DocumentValue: Equatable, Sendable {
    case mapping([Member])
    case sequence([DocumentValue])
    case string(String)
    /// As it is spelled.
    case number(String)
    case bool(Bool)
    case null

    struct Member: Equatable, Sendable {
        let name: String
        let value: DocumentValue
    }

    /// Nil when there is no such member, or this is no mapping.
    subscript(name: String) -> DocumentValue? {
        guard case .mapping(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// Empty when this is no mapping.
    var members: [(name: String, value: DocumentValue)] {
        guard case .mapping(let members) = self else { return [] }
        return members.map { ($0.name, $0.value) }
    }

    /// Empty when this is no sequence.
    var elements: [DocumentValue] {
        guard case .sequence(let elements) = self else { return [] }
        return elements
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A string without its quotes, anything else as JSON.
    var text: String { string ?? json() }

    var isTrue: Bool { self == .bool(true) }

    /// This mapping with the members of another one, which win.
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
