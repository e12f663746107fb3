import Foundation
import Glibc

/// What a service manager (systemd's `Type=notify`, sd_notify(3)) is told of a gateway: that it is ready, that it
/// lives, that it stops. Without `NOTIFY_SOCKET` in the environment nobody is told.
struct ServiceManager: Sendable {
    private let socket: String?
    /// How often it wants to hear that the process lives; nil for never.
    let watchdog: Duration?

    /// - Parameter environment: the process's; what is there is for this process alone.
    init(_ environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 && isForUs ? $0 : nil }
        // Twice in the time after which the process is taken for hung.
        watchdog = socket == nil ? nil : limit.map { .microseconds($0 / 2) }
    }

    /// It serves.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// It has been asked to stop, and does.
    func stopping() { send("STOPPING=1") }

    /// It lives.
    func alive() { send("WATCHDOG=1") }

    /// Tells that the process lives, as often as is wanted, whenever `isAlive` has answered true. Until the task is
    /// cancelled.
    func keepTelling(_ isAlive: @Sendable () async -> Bool) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            if await isAlive() { alive() }
            try? await Task.sleep(for: watchdog)
        }
    }

    /// One datagram, which is lost when nobody takes it.
    private func send(_ text: String) {
        guard let socket else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socket.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // A name that begins with @ is no file.
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
