/// An argument of a test that the runner shows with its control characters escaped. They would end lines of the output,
/// or change the terminal.
public struct Escaped<Value: Sendable>: Sendable, CustomStringConvertible {
    public let value: Value

    public var description: String { String(reflecting: value) }

    /// Wraps the arguments of a test.
    public static func each(_ values: [Value]) -> [Escaped] {
        values.map { Escaped(value: $0) }
    }
}
