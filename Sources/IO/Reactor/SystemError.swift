import Glibc

/// A system call that failed: which one, and its `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call's name.
    public let call: String
    /// Its `errno`.
    public let number: Int32

    public init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// The error of the call that has just failed on this thread.
    static func last(_ call: String) -> SystemError {
        SystemError(call: call, number: errno)
    }

    public var description: String {
        // glibc's strerror has been safe on any thread since 2.32.
        "\(call): \(strerror(number).map { String(cString: $0) } ?? "error \(number)")"
    }
}
