public import LiveActivity
public import Logging

/// What a line of the log tells beside its message, as values that the log spells when it writes the line: of the lines that
/// each call has, a dictionary of texts costs more than all the rest.
public struct LineFields: Sendable, CustomStringConvertible {
    /// Spelled as a text, in every form of the log.
    public enum Value: Sendable {
        case text(String)
        /// Its 36 characters.
        case id(UniqueID)
        /// In decimal.
        case number(Int)
    }

    /// In the order in which they were added, which is that of the line; no name twice.
    public private(set) var fields: [(name: String, value: Value)] = []

    /// How many fields most lines have at most.
    private static let usual = 12

    public init() {
        fields.reserveCapacity(LineFields.usual)
    }

    /// Adds a field that is not there yet.
    public mutating func add(_ name: String, _ value: Value) {
        fields.append((name, value))
    }

    /// Adds the field if there is anything to tell.
    public mutating func add(_ name: String, _ text: String?) {
        if let text { fields.append((name, .text(text))) }
    }

    /// Whether a field of this name was added.
    public func contains(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// For a logger: the one field in which a log that knows this type finds all of these. Another log has its `description`.
    public var metadata: Logger.Metadata { ["fields": .stringConvertible(self)] }

    /// `name=value`, with blanks between.
    public var description: String {
        fields.map { name, value in
            switch value {
            case .text(let text): "\(name)=\(text)"
            case .id(let id): "\(name)=\(id)"
            case .number(let number): "\(name)=\(number)"
            }
        }.joined(separator: " ")
    }
}
