import FlatMemory
import PushProtocol

/// The sources of the pushes under way. What a push needs of its source is plain; the last source used is found without
/// a search.
struct PushSourceTable: ~Copyable {
    private struct State: BitwiseCopyable {
        /// The addresses of template and receiver, which `objects` keeps alive.
        var template: UInt
        var receiver: UInt
        /// The source's own for ever; 0 when the place is free.
        var identity: UInt64
        /// Pushes whose outcome the receiver has not been told.
        var outstanding = 0
    }

    private struct Identity: Hashable {
        let template: ObjectIdentifier
        let receiver: ObjectIdentifier

        init(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) {
            self.template = ObjectIdentifier(template)
            self.receiver = ObjectIdentifier(receiver)
        }
    }

    private var states = PlainBuffer<State>()
    private var objects: [PushSource?] = []
    private var places: [Identity: Int] = [:]
    private var free: [Int] = []
    private var last = 0
    private var made: UInt64 = 0

    subscript(index: UInt32) -> PushSource {
        guard let source = objects[Int(index)] else { preconditionFailure("a push without a source") }
        return source
    }

    /// The sources whose pushes go back to this receiver.
    func indexes(of receiver: any PushOutcomeReceiver) -> [UInt32] {
        objects.indices.filter { objects[$0]?.receiver === receiver }.map { UInt32($0) }
    }

    /// What tells this source from all that had or will have its place.
    @inline(__always)
    func identity(_ index: UInt32) -> UInt64 { states[Int(index)].identity }

    /// Where the source of this template and receiver is. It stays there until the outcomes of all its pushes are told.
    @inline(__always)
    mutating func index(of template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> UInt32 {
        let isLast =
            last < states.count && states[last].template == UInt(bitPattern: ObjectIdentifier(template))
            && states[last].receiver == UInt(bitPattern: ObjectIdentifier(receiver)) && states[last].identity != 0
        if !isLast { last = find(template, receiver) }
        return UInt32(truncatingIfNeeded: last)
    }

    /// So many more pushes of it, one at least, wait for their outcomes.
    mutating func pushesTaken(_ index: UInt32, _ count: Int) {
        states[Int(index)].outstanding += count
    }

    /// The receiver has been told of so many outcomes. Lets go of the source when there are no others; whether it did.
    mutating func outcomesTold(_ index: UInt32, _ count: Int) -> Bool {
        let place = Int(index)
        states[place].outstanding -= count
        guard states[place].outstanding == 0, let source = objects[place] else { return false }
        places[Identity(source.template, source.receiver)] = nil
        objects[place] = nil
        states[place].identity = 0
        free.append(place)
        return true
    }

    private mutating func find(_ template: PushTemplate, _ receiver: any PushOutcomeReceiver) -> Int {
        let key = Identity(template, receiver)
        if let place = places[key] { return place }
        made += 1
        let state = State(
            template: UInt(bitPattern: key.template), receiver: UInt(bitPattern: key.receiver), identity: made)
        let place = free.popLast() ?? objects.count
        if place == objects.count {
            objects.append(PushSource(template, receiver))
            states.append(state)
        } else {
            objects[place] = PushSource(template, receiver)
            states[place] = state
        }
        places[key] = place
        return place
    }
}
