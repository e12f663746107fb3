import Glibc
import Reactor
import TimeCore

/// The listening socket. Paused, it is closed, so that the kernel refuses whoever comes; it comes back on the same
/// port.
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

    /// Listens again. When the port has been taken by someone else meanwhile, it tries again every 50 ms.
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
                // Out of descriptors: the one who waits would wake the reactor again at once and for ever.
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
