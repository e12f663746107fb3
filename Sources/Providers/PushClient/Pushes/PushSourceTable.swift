import Delivery
import FlatMemory

/// The sources of the pushes under way. What a push needs of its source is plain; the last source used is found without
/// a search.
struct PushSourceTable: ~Copyable {
    private struct State: BitwiseCopyable {
        /// The addresses of what is pushed and of the receiver, which `objects` keeps alive.
        var push: UInt
        var receiver: UInt
        /// The source's own for ever; 0 when the place is free.
        var identity: UInt64
        /// Pushes whose outcome the receiver has not been told.
        var outstanding = 0
    }

    private struct Identity: Hashable {
        let push: ObjectIdentifier
        let receiver: ObjectIdentifier

        init(_ push: any RenderedPush, _ receiver: any PushOutcomeReceiver) {
            self.push = ObjectIdentifier(push)
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

    /// Where the source of these pushes to this receiver is. It stays there until the outcomes of all its pushes are
    /// told.
    @inline(__always)
    mutating func index(of push: any RenderedPush, _ receiver: any PushOutcomeReceiver) -> UInt32 {
        let isLast =
            last < states.count && states[last].push == UInt(bitPattern: ObjectIdentifier(push))
            && states[last].receiver == UInt(bitPattern: ObjectIdentifier(receiver)) && states[last].identity != 0
        if !isLast { last = find(push, receiver) }
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
        places[Identity(source.push, source.receiver)] = nil
        objects[place] = nil
        states[place].identity = 0
        free.append(place)
        return true
    }

    private mutating func find(_ push: any RenderedPush, _ receiver: any PushOutcomeReceiver) -> Int {
        let key = Identity(push, receiver)
        if let place = places[key] { return place }
        made += 1
        let state = State(
            push: UInt(bitPattern: key.push), receiver: UInt(bitPattern: key.receiver), identity: made)
        let place = free.popLast() ?? objects.count
        if place == objects.count {
            objects.append(PushSource(push, receiver))
            states.append(state)
        } else {
            objects[place] = PushSource(push, receiver)
            states[place] = state
        }
        places[key] = place
        return place
    }
}
