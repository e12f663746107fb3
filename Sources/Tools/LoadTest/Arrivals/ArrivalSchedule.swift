import Glibc
import TimeCore

/// The due times of calls in ascending order, as intervals from the start. Deterministic for a pattern and generator.
struct ArrivalSchedule: Sendable {
    /// The due time of the next call; nil if there are no more.
    private(set) var next: TimeInterval?
    private let pattern: ArrivalPattern
    private let calls: Int
    private let duration: TimeInterval?
    private var index = 0
    private var seconds = 0.0
    private var generator: SplitMix64

    /// - Parameters:
    ///   - calls: The maximum number of calls.
    ///   - duration: The exclusive limit of due times; nil for no limit.
    init(_ pattern: ArrivalPattern, calls: Int, duration: TimeInterval?, generator: SplitMix64) {
        self.pattern = pattern
        self.duration = duration
        self.generator = generator
        switch pattern {
        case .spread(let spread, _): self.calls = min(calls, spread)
        case .listed(let times): self.calls = min(calls, times.count)
        case .uniform, .poisson: self.calls = calls
        }
        arrange()
    }

    /// Removes the next call.
    mutating func advance() {
        index += 1
        arrange()
    }

    /// The due time of the last call. Walks over all remaining calls.
    var last: TimeInterval? {
        var walk = self
        var last = next
        while let next = walk.next {
            last = next
            walk.advance()
        }
        return last
    }

    private mutating func arrange() {
        next = nil
        guard index < calls else { return }
        switch pattern {
        case .uniform(let perSecond):
            // Computed from the index, because adding intervals accumulates rounding errors.
            seconds = Double(index) / perSecond
        case .poisson(let perSecond):
            // 1 - fraction is never zero, so the logarithm is finite.
            seconds += -log(1 - generator.fraction()) / perSecond
        case .spread(let calls, let within):
            seconds = (Double(index) + generator.fraction()) / Double(calls) * within.inSeconds
        case .listed(let times):
            seconds = times[index].inSeconds
        }
        let time = TimeInterval.seconds(seconds)
        if let duration, time >= duration { return }
        next = time
    }
}
