/// A random story that is checked after each step.
public protocol RandomStory {
    init(seed: UInt64)
    mutating func step()
    /// A description of the last step.
    var last: String { get }
    /// The invariants that the last step violated.
    var violations: [String] { get }
}

extension RandomStory {
    /// Runs the story of a seed until its first violation, which it passes to `complain`.
    public static func story(seed: UInt64, steps: Int, complain: (String) -> Void) -> Self {
        var walk = Self(seed: seed)
        for number in 0..<steps {
            walk.step()
            guard walk.violations.isEmpty else {
                complain("seed \(seed), step \(number), \(walk.last): \(walk.violations)")
                break
            }
        }
        return walk
    }
}
