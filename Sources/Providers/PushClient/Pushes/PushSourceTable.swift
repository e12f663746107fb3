import Delivery
import FlatMemory

/// The sources of the pushes in progress. Pushes need only plain data of their source, and the last used source is
/// found without a search.
struct PushSourceTable: ~Copyable {
    private struct State: BitwiseCopyable {
        /// The addresses of the push and the receiver, which `objects` retains.
        var push: UInt
        var receiver: UInt
        /// A permanent number of the source; 0 if the place is free.
        var identity: UInt64
        /// The number of pushes whose outcome was not reported yet.
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

    /// The sources with this receiver.
    func indexes(of receiver: any PushOutcomeReceiver) -> [UInt32] {
        objects.indices.filter { objects[$0]?.receiver === receiver }.map { UInt32($0) }
    }

    /// The number that distinguishes this source from all others at its place.
    @inline(__always)
    func identity(_ index: UInt32) -> UInt64 { states[Int(index)].identity }

    /// The index of the source, which stays valid until the outcomes of all its pushes are reported.
    @inline(__always)
    mutating func index(of push: any RenderedPush, _ receiver: any PushOutcomeReceiver) -> UInt32 {
        let isLast =
            last < states.count && states[last].push == UInt(bitPattern: ObjectIdentifier(push))
            && states[last].receiver == UInt(bitPattern: ObjectIdentifier(receiver)) && states[last].identity != 0
        if !isLast { last = find(push, receiver) }
        return UInt32(truncatingIfNeeded: last)
    }

    /// Adds at least one push without an outcome.
    mutating func pushesTaken(_ index: UInt32, _ count: Int) {
        states[Int(index)].outstanding += count
    }

    /// Records reported outcomes. Frees the source and returns true if no others are outstanding.
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
