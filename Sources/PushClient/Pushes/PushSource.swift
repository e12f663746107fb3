import PushProtocol

/// A template and the receiver of its outcomes, shared by all pushes that were given with both.
final class PushSource {
    let template: PushTemplate
    let receiver: any PushOutcomeReceiver
    /// Pushes under way.
    var outstanding = 0
    /// Outcomes that the receiver has not heard of.
    var results: [PushResult] = []
    /// Whether it is on the list of those with results.
    var isListed = false

    init(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) {
        self.template = template
        self.receiver = receiver
    }
}

/// The sources of the pushes under way. There are as many as broadcasts, which is few; the last one used is found
/// without a search.
struct PushSourceTable {
    private(set) var sources: [PushSource?] = []
    private var last = 0

    mutating func index(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> Int {
        if last < sources.count, let source = sources[last], source.template === template,
            source.receiver === receiver
        {
            return last
        }
        last = find(template, receiver)
        return last
    }

    subscript(index: Int) -> PushSource? { sources[index] }

    /// Lets go of templates and receivers that have no push under way.
    mutating func removeIdle() {
        for index in sources.indices {
            if let source = sources[index], source.outstanding == 0, source.results.isEmpty { sources[index] = nil }
        }
    }

    private mutating func find(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> Int {
        for (index, source) in sources.enumerated() {
            if let source, source.template === template, source.receiver === receiver { return index }
        }
        let source = PushSource(template, receiver)
        if let index = sources.firstIndex(where: { $0 == nil }) {
            sources[index] = source
            return index
        }
        sources.append(source)
        return sources.count - 1
    }
}
