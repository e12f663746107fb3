import PushProtocol

/// The sources of the pushes under way. The last one used is found without a search.
struct PushSourceTable {
    private var sources: [PushSource?] = []
    private var places: [Identity: Int] = [:]
    private var free: [Int] = []
    private var last = 0
    private var made: UInt64 = 0

    private struct Identity: Hashable {
        let template: ObjectIdentifier
        let receiver: ObjectIdentifier

        init(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) {
            self.template = ObjectIdentifier(template)
            self.receiver = ObjectIdentifier(receiver)
        }
    }

    subscript(index: Int) -> PushSource? { sources[index] }

    mutating func source(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> PushSource {
        if last < sources.count, let source = sources[last], source.template === template,
            source.receiver === receiver
        {
            return source
        }
        if let place = places[Identity(template, receiver)], let source = sources[place] {
            last = place
            return source
        }
        return add(template, receiver)
    }

    /// Lets go of a source when it has no push under way; whether it did.
    mutating func removeIfIdle(_ source: PushSource) -> Bool {
        guard source.outstanding == 0, source.results.isEmpty, sources[source.index] === source else { return false }
        places[Identity(source.template, source.receiver)] = nil
        sources[source.index] = nil
        free.append(source.index)
        return true
    }

    private mutating func add(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> PushSource {
        made += 1
        let index = free.popLast() ?? sources.count
        let source = PushSource(template, receiver, index: index, identity: made)
        if index == sources.count { sources.append(source) } else { sources[index] = source }
        places[Identity(template, receiver)] = index
        last = index
        return source
    }
}
