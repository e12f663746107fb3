import Glibc
import TimeCore

/// The times at which calls are due, one after the other, as intervals from the start. A value: the same pattern and
/// generator give the same times.
struct ArrivalSchedule: Sendable {
    /// When the next call is due; nil when there are no more. Never before the one that came before it.
    private(set) var next: TimeInterval?
    private let pattern: ArrivalPattern
    private let calls: Int
    private let duration: TimeInterval?
    private var index = 0
    private var seconds = 0.0
    private var generator: SplitMix64

    /// - Parameters:
    ///   - calls: No more calls than this.
    ///   - duration: No call is due at or after this; nil for as long as there are calls.
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

    /// The next call has been taken.
    mutating func advance() {
        index += 1
        arrange()
    }

    /// When the last call is due, found by walking over all that are left.
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
            // From the index, not from the last time: rounding must not add up.
            seconds = Double(index) / perSecond
        case .poisson(let perSecond):
            // The logarithm of zero is not finite; 1 - fraction is never zero.
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
