import Foundation
import Glibc
import Testing
import TimeCore

@testable import Reactor

/// The descriptor to which the signal handler writes while the interrupted reactor sleeps past its deadline.
nonisolated(unsafe) private var written: Int32 = -1

@Suite("A reactor that is held up")
struct InterruptionTests {
    /// - Parameter thread: Its path below `/proc`.
    private static func isAsleep(_ thread: String) -> Bool {
        let file = open("/proc/\(thread)/stat", O_RDONLY)
        guard file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains(") S ")
    }

    @Test("What has come while a wait was interrupted is delivered before the timers that are late")
    func lateWakeUp() async throws {
        let ends = try makePipe()
        defer { for end in [ends.read, ends.write] { close(end) } }
        written = ends.write
        // The state after a SIGSTOP: the wait ends with EINTR, a byte can be read, and the deadline has passed.
        signal(SIGUSR2) { _ in
            var byte: UInt8 = 1
            _ = write(written, &byte, 1)
            usleep(400_000)
        }
        defer { signal(SIGUSR2, SIG_DFL) }
        let order: [String]? = try await withReactor { reactor in
            let thread = Record<pthread_t>()
            let state = await run(on: reactor) {
                thread.values = [pthread_self()]
                // The reactor's thread inherits its mask from threads that block signals.
                var mask = sigset_t()
                sigemptyset(&mask)
                sigaddset(&mask, SIGUSR2)
                pthread_sigmask(SIG_UNBLOCK, &mask, nil)
                return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            }
            let name = try #require(state)
            return await outcome(on: reactor) { done in
                let events = Record<String>()
                let note: @Sendable (String) -> Void = { event in
                    events.values.append(event)
                    if events.values.count == 2 { done(events.values) }
                }
                let handler = ClosureHandler { _ in
                    var byte: UInt8 = 0
                    if read(ends.read, &byte, 1) == 1 { note("read") }
                }
                _ = try? reactor.watch(ends.read, .read, handler)
                reactor.schedule(after: .milliseconds(200)) { note("timer") }
                Thread.detachNewThread {
                    // The thread sleeps only in its wait.
                    while !Self.isAsleep(name) { usleep(100) }
                    pthread_kill(thread.values[0], SIGUSR2)
                }
            }
        }
        #expect(order == ["read", "timer"])
    }
}
