import Dispatch
import Glibc

/// Blocking work in tests.
enum DispatchThread {
    static func run(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(execute: work)
    }

    static func pause(milliseconds: UInt32) {
        usleep(milliseconds * 1000)
    }
}
