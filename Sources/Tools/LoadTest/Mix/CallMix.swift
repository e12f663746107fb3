/// The frequencies of a marketing system's calls as weights, for example `register=1,start=1,update=8,end=1`.
public struct CallMix: Sendable, Equatable, CustomStringConvertible {
    let weights: [(kind: CallKind, weight: Int)]
    private let sum: Int

    /// The kinds that a mix can contain, in display order.
    private static let kinds: [CallKind] = [.register, .start, .update, .end]
    private static let maximumWeight = 1_000_000

    /// The mix of an activity's life with eight updates.
    public static let standard = CallMix(weights: [(.register, 1), (.start, 1), (.update, 8), (.end, 1)])

    private init(weights: [(CallKind, Int)]) {
        self.weights = weights
        sum = weights.reduce(0) { $0 + $1.1 }
    }

    /// Parses weights. Throws an error with a human-readable message.
    public init(_ text: String) throws(LoadTestError) {
        var found: [(CallKind, Int)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false).map {
                String($0.drop { $0 == " " })
            }
            guard pair.count == 2, let kind = CallMix.kinds.first(where: { $0.name == pair[0] }),
                let weight = Int(pair[1]), (0...CallMix.maximumWeight).contains(weight)
            else {
                throw LoadTestError(
                    "write the mix like register=1,start=1,update=8,end=1, with weights from 0 to 1,000,000; "
                        + "\"\(part)\" is not a valid part")
            }
            guard !found.contains(where: { $0.0 == kind }) else {
                throw LoadTestError("the mix has \(kind.name) twice")
            }
            found.append((kind, weight))
        }
        self.init(weights: CallMix.kinds.compactMap { kind in found.first { $0.0 == kind && $0.1 > 0 } })
        guard sum > 0 else { throw LoadTestError("the mix needs a weight above 0") }
    }

    /// Returns a random kind of call according to the weights.
    func choose(using generator: inout some RandomNumberGenerator) -> CallKind {
        var ticket = Int.random(in: 0..<sum, using: &generator)
        for (kind, weight) in weights {
            if ticket < weight { return kind }
            ticket -= weight
        }
        preconditionFailure("the ticket \(ticket) lies outside of the weights \(self)")
    }

    public var description: String {
        weights.map { "\($0.kind.name)=\($0.weight)" }.joined(separator: ",")
    }

    public static func == (left: CallMix, right: CallMix) -> Bool {
        left.description == right.description
    }
}
