import Foundation
import Glibc

/// Notifies a service manager that the gateway is ready, alive or stopping (systemd's `Type=notify`, sd_notify(3)).
/// Without `NOTIFY_SOCKET` in the environment it sends nothing.
struct ServiceManager: Sendable {
    private let socket: String?
    /// The interval of watchdog notifications; nil for none.
    let watchdog: Duration?

    /// - Parameter environment: The process's environment. Its notification variables apply to this process only.
    init(_ environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 && isForUs ? $0 : nil }
        // Half of the time after which the process counts as hung.
        watchdog = socket == nil ? nil : limit.map { .microseconds($0 / 2) }
    }

    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    func stopping() { send("STOPPING=1") }

    func alive() { send("WATCHDOG=1") }

    /// Sends watchdog notifications at the required interval, each time only if `isAlive` returns true. Runs until the
    /// task is cancelled.
    func keepTelling(_ isAlive: @Sendable () async -> Bool) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            if await isAlive() { alive() }
            try? await Task.sleep(for: watchdog)
        }
    }

    /// Sends one datagram. It is lost if the socket has no reader.
    private func send(_ text: String) {
        guard let socket else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socket.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // A name that starts with @ is an abstract socket, not a file.
        if socket.hasPrefix("@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (socket.hasPrefix("@") ? 0 : 1))
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                text.withCString { sendto(descriptor, $0, strlen($0), 0, address, length) }
            }
        }
    }
}
