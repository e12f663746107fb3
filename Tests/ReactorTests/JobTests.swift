import Glibc
import Reactor
import Testing
import TimeCore

@Suite("Jobs from other threads")
struct JobTests {
    @Test("Jobs from many threads run once each, and in order for each thread")
    func manyThreads() async throws {
        let (threads, perThread) = (8, 5000)
        let record = Record<(thread: Int, number: Int)>()
        try await withReactor { reactor in
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<threads {
                    group.addTask {
                        for number in 0..<perThread {
                            reactor.execute { record.values.append((thread, number)) }
                        }
                    }
                }
            }
        }
        // All jobs have run, because the reactor has stopped.
        #expect(record.values.count == threads * perThread)
        for thread in 0..<threads {
            #expect(record.values.filter { $0.thread == thread }.map(\.number) == Array(0..<perThread))
        }
    }

    @Test("A job that was taken runs, and one that was refused does not, however stopping races with giving")
    func stopUnderLoad() async throws {
        for _ in 0..<50 {
            let reactor = try Reactor(name: "stopped")
            let ran = Locked(0)
            let taken = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var taken = 0
                        while reactor.execute({ ran.withLock { $0 += 1 } }) {
                            taken += 1
                            if taken % 16 == 0 { await Task.yield() }
                        }
                        return taken
                    }
                }
                group.addTask {
                    while ran.withLock({ $0 }) < 100 { await Task.yield() }
                    reactor.stop()
                    return 0
                }
                return await group.reduce(0, +)
            }
            #expect(ran.withLock { $0 } == taken)
            #expect(!reactor.execute {})
        }
    }

    @Test("Jobs that a job gives before the stop run; stop on the reactor's own thread returns at once")
    func stopFromWithin() async throws {
        let reactor = try Reactor(name: "within")
        let order = Record<String>()
        let ended: Bool? = await outcome(on: reactor) { done in
            reactor.execute {
                order.values.append("given")
                done(true)
            }
            order.values.append("first")
            reactor.stop()
            order.values.append("after stop")
        }
        #expect(ended == true)
        #expect(order.values == ["first", "after stop", "given"])
    }

    @Test("Only the reactor's thread counts as being on it")
    func onReactor() async throws {
        try await withReactor { reactor in
            #expect(!reactor.isOnReactor)
            #expect(await run(on: reactor) { reactor.isOnReactor })
        }
    }

    @Test("What a job holds is let go when it has run, not when the reactor next wakes up")
    func lettingGo() async throws {
        try await withReactor { reactor in
            weak var held: Record<Int>?
            do {
                let object = Record<Int>()
                held = object
                await run(on: reactor) { _ = object.values.count }
            }
            // The reactor is idle, so only the end of the turn can release the object.
            let end = MonotonicTime.now() + .seconds(10)
            while held != nil, MonotonicTime.now() < end { await Task.yield() }
            #expect(held == nil)
        }
    }

    @Test("A reactor that has stopped lets go of itself and of what was watched and scheduled")
    func nothingLeft() async throws {
        weak var gone: Reactor?
        weak var handler: ClosureHandler?
        let ends = try makePipe()
        do {
            let reactor = try Reactor(name: "gone")
            gone = reactor
            let watching = ClosureHandler()
            handler = watching
            await run(on: reactor) {
                watching.ready = { _ in _ = reactor }
                _ = try? reactor.watch(ends.read, .read, watching)
                reactor.schedule(after: .seconds(3600)) { _ = reactor }
            }
            reactor.stop()
        }
        #expect(gone == nil)
        #expect(handler == nil)
        close(ends.read)
        close(ends.write)
    }

    @Test("A call hands back what its body gives, and the given value once the reactor has stopped")
    func asyncCall() async throws {
        let reactor = try Reactor(name: "calls")
        #expect(await reactor.call(stopped: -1) { $0(7) } == 7)
        reactor.stop()
        #expect(await reactor.call(stopped: -1) { $0(7) } == -1)
    }
}
