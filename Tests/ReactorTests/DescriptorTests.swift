import Glibc
import Testing
import TimeCore

@testable import Reactor

@Suite("Watched descriptors")
struct DescriptorTests {
    @Test("An event that is under way for a closed descriptor does not reach the next owner of its slot")
    func staleEvent() async throws {
        let (first, second) = (try makePipe(), try makePipe())
        let stale: Int? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let calls = Record<String>()
                var watches: [Watch] = []
                // Both become ready in one turn. The first handler closes the other watch and puts an idle descriptor
                // in its slot.
                let idle = try? makePipe()
                for (own, ends) in [first, second].enumerated() {
                    let handler = ClosureHandler { [unowned reactor] _ in
                        calls.values.append("ready \(own)")
                        guard calls.values.count == 1, let idle else { return }
                        let other = watches[1 - own]
                        reactor.unwatch(other)
                        let next = try? reactor.watch(
                            idle.read, .read, ClosureHandler { _ in calls.values.append("stale") })
                        if next?.slot != other.slot || next == other { calls.values.append("another slot") }
                        reactor.unwatch(watches[own])
                    }
                    if let watch = try? reactor.watch(ends.read, .read, handler) { watches.append(watch) }
                }
                put("x", into: first.write)
                put("x", into: second.write)
                reactor.schedule(after: .milliseconds(50)) { done(calls.values.count) }
            }
        }
        // One handler is called once, and the new owner of the slot never.
        #expect(stale == 1)
    }

    @Test("A watch tells reading from writing, and changes with rewatch")
    func interest() async throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (near, far) = (pair[0], pair[1])
        let events: [String]? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let events = Record<String>()
                let watch = Record<Watch>()
                let handler = ClosureHandler { readiness in
                    let event = "\(readiness.isReadable ? "r" : "")\(readiness.isWritable ? "w" : "")"
                    events.values.append(event)
                    switch events.values.count {
                    case 1:
                        // The socket is writable at once. From now on only reads count.
                        try? reactor.rewatch(watch.values[0], .read)
                        put("x", into: far)
                    case 2:
                        var byte: UInt8 = 0
                        _ = read(near, &byte, 1)
                        close(far)
                    default:
                        reactor.unwatch(watch.values[0])
                        done(events.values)
                    }
                }
                if let made = try? reactor.watch(near, .write, handler) { watch.values.append(made) }
            }
        }
        close(near)
        #expect(events?.count == 3)
        #expect(events?.prefix(2) == ["w", "r"])
        #expect(events?.last?.contains("r") == true)
    }

    @Test("A descriptor that cannot be watched is refused, and its slot is free again")
    func refused() async throws {
        try await withReactor { reactor in
            let slots = await run(on: reactor) { () -> [UInt32]? in
                do throws(SystemError) {
                    _ = try reactor.watch(-1, .read, ClosureHandler())
                    return nil
                } catch {
                    guard error.call == "epoll_ctl", error.number == EBADF, let ends = try? makePipe() else {
                        return nil
                    }
                    defer { [ends.read, ends.write].forEach { close($0) } }
                    guard let watch = try? reactor.watch(ends.read, .read, ClosureHandler()) else { return nil }
                    reactor.unwatch(watch)
                    reactor.unwatch(watch)
                    return [watch.slot]
                }
            }
            #expect(slots == [0])
        }
    }

    @Test("What asks for the end of the turn is called once for each time it asked, after jobs and timers")
    func endOfTurn() async throws {
        final class Participant: TurnParticipant {
            let ended: () -> Void
            init(_ ended: @escaping () -> Void) { self.ended = ended }
            func turnEnded() { ended() }
        }
        let order: [String]? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let record = Record<String>()
                let again = Participant { record.values.append("asked again") }
                let once = Participant {
                    record.values.append("end of turn")
                    if record.values.count(where: { $0 == "end of turn" }) == 1 { reactor.atEndOfTurn(again) }
                }
                reactor.atEndOfTurn(once)
                reactor.atEndOfTurn(once)
                reactor.schedule(at: reactor.now) { record.values.append("timer") }
                record.values.append("job")
                reactor.schedule(after: .milliseconds(20)) { done(record.values) }
            }
        }
        #expect(order == ["job", "timer", "end of turn", "end of turn", "asked again"])
    }

    @Test("Two that always ask for each other's end of turn do not keep jobs from running")
    func quarrel() async throws {
        final class Eager: TurnParticipant {
            let reactor: Reactor
            let limit: Record<Int>
            init(_ reactor: Reactor, _ limit: Record<Int>) {
                self.reactor = reactor
                self.limit = limit
            }
            func turnEnded() {
                if limit.values.isEmpty { reactor.atEndOfTurn(self) }
            }
        }
        try await withReactor { reactor in
            let over = Record<Int>()
            await run(on: reactor) { reactor.atEndOfTurn(Eager(reactor, over)) }
            for number in 0..<100 { await run(on: reactor) { if number == 99 { over.values.append(number) } } }
            #expect(await run(on: reactor) { over.values } == [99])
        }
    }
}
