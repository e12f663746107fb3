/// A story drawn at random, which is checked after each of its steps.
public protocol RandomStory {
    init(seed: UInt64)
    mutating func step()
    /// What the last step was.
    var last: String { get }
    /// What is wrong after it.
    var violations: [String] { get }
}

extension RandomStory {
    /// The story of a seed. It ends with its first violation, of which `complain` is told.
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
