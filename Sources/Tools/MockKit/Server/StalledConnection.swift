import Reactor

/// An accepted connection that sends nothing. It drops its input until the client leaves.
final class StalledConnection: DescriptorHandler {
    private unowned let server: MockServer
    private let descriptor: Int32
    private let number: Int
    private var watch: Watch?
    private var isClosed = false

    init(_ descriptor: Int32, number: Int, server: MockServer) {
        self.descriptor = descriptor
        self.number = number
        self.server = server
        watch = try? server.reactor.watch(descriptor, .read, self)
    }

    func descriptorReady(_ readiness: Readiness) {
        withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            switch Socket.receive(descriptor, into: buffer) {
            case .transferred, .wouldBlock: return
            case .ended, .failed:
                close()
                server.stalled[number] = nil
            }
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let watch { server.reactor.unwatch(watch) }
        Socket.close(descriptor)
    }
}
