import Glibc

/// A descriptor that people look at, or a file or pipe in its place.
public struct TerminalOutput: Sendable {
    private let descriptor: Int32

    public static let standardOutput = TerminalOutput(descriptor: STDOUT_FILENO)
    public static let standardError = TerminalOutput(descriptor: STDERR_FILENO)

    /// The descriptor stays the caller's.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The terminal's width now; nil when the output is no terminal.
    public var columns: Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// What may be written here.
    public func style(environment: [String: String]) -> TerminalStyle {
        TerminalStyle(columns: columns, environment: environment)
    }

    /// Writes all of it, and waits for a slow reader for at most a second. What can't be written is dropped: nothing
    /// that is shown to people is worth failing for.
    public func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&interest, 1, 1000) <= 0 { return }
            } else if errno != EINTR {
                return
            }
        }
    }
}
