/// A failure to start the mock, to parse its script, or to read or write a file.
public struct MockError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
