import Glibc
import Reactor
import TimeCore

/// The listening socket. A paused listener is closed, so the kernel refuses connections; it resumes on the same port.
final class Listener: DescriptorHandler {
    private unowned let server: MockServer
    private let address: SocketAddress?
    private var descriptor: Int32?
    private var watch: Watch?
    private static let connectionsPerEvent = 64

    init(descriptor: Int32, port: UInt16, server: MockServer) throws(SystemError) {
        self.server = server
        self.descriptor = descriptor
        address = SocketAddress(numericHost: server.options.host, port: port)
        watch = try server.reactor.watch(descriptor, .read, self)
    }

    func pause() {
        close()
    }

    /// Listens again. Retries every 50 ms on failure, for example because another process has taken the port.
    func resume() {
        guard descriptor == nil, let address else { return }
        do {
            let listening = try Socket.listen(on: address).0
            descriptor = listening
            watch = try server.reactor.watch(listening, .read, self)
        } catch {
            close()
            resumeLater()
        }
    }

    private func resumeLater() {
        server.reactor.schedule(after: .milliseconds(50)) { [weak self] in
            guard let self, self.server.listener === self, self.server.admission.mode != .refuse else { return }
            self.resume()
        }
    }

    func close() {
        if let watch { server.reactor.unwatch(watch) }
        watch = nil
        if let descriptor { Socket.close(descriptor) }
        descriptor = nil
    }

    func descriptorReady(_ readiness: Readiness) {
        for _ in 0..<Self.connectionsPerEvent {
            guard let descriptor else { return }
            guard let accepted = Socket.accept(descriptor) else {
                // Out of descriptors: the pending connection would wake the reactor in an endless loop.
                if errno == EMFILE || errno == ENFILE {
                    pause()
                    resumeLater()
                }
                return
            }
            server.accepted(accepted)
        }
    }
}
