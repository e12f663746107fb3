/// Why a load test cannot be carried out: a sentence for people.
public struct LoadTestError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
