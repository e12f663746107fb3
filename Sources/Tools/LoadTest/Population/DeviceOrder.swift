/// A pseudorandom order of all devices, each once in a round. Needs no list of them.
struct DeviceOrder: Sendable {
    private let population: Population
    private let step: Int
    private let start: Int

    /// The order follows from the population's seed.
    init(_ population: Population) {
        self.population = population
        let count = max(1, population.count)
        var generator = SplitMix64(seed: population.seed ^ 0x0DE7_1CE5)
        start = Int.random(in: 0..<count, using: &generator)
        // A step without a common factor with the count reaches every number once.
        var step = count > 2 ? Int.random(in: 1..<count, using: &generator) : 1
        while DeviceOrder.commonFactor(step, count) != 1 { step += 1 }
        self.step = step
    }

    /// Returns the device at a position. Positions from 0 to the population's count - 1 yield each device once.
    func device(at index: Int) -> Int {
        let count = max(1, population.count)
        // Below 1e16: both factors are below the population's limit.
        return population.first + (start + (index % count) * step) % count
    }

    private static func commonFactor(_ left: Int, _ right: Int) -> Int {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }
}
