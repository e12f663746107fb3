import Glibc
import Reactor

/// A connection to the control port. It serves one request. Confined to the control port's reactor.
final class ControlConnection: DescriptorHandler {
    private unowned let server: ControlServer
    private let descriptor: Int32
    private let number: Int
    private var watch: Watch?
    private var timer: ReactorTimer?
    private var reader = ControlRequestReader()
    private var output: ArraySlice<UInt8> = []
    private var isAnswered = false
    private var isClosed = false

    init(_ descriptor: Int32, number: Int, server: ControlServer) {
        self.server = server
        self.descriptor = descriptor
        self.number = number
        watch = try? server.reactor.watch(descriptor, .read, self)
        timer = server.reactor.schedule(after: server.patience) { [weak self] in self?.timeIsUp() }
    }

    func descriptorReady(_ readiness: Readiness) {
        guard !isClosed else { return }
        if output.isEmpty { receive() } else { send() }
    }

    private func receive() {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            switch Socket.receive(descriptor, into: buffer) {
            case .wouldBlock: return
            case .ended, .failed: close()
            case .transferred(let count):
                // Read and drop bytes after the request, because unread bytes would reset the connection and lose the
                // answer.
                if !isAnswered { proceed(reader.received(buffer[..<count])) }
            }
        }
    }

    private func proceed(_ progress: ControlRequestReader.Progress) {
        switch progress {
        case .incomplete: return
        case .expectsContinue: say(ControlReply.goOn)
        case .complete(let request):
            answer(isMisdirected ? Self.misdirected : ControlEndpoints.answer(request, server.mock))
        case .refused(let status, let text): answer(.error(status, text))
        }
    }

    /// True if the host header names another machine. DNS rebinding leads a browser here that way.
    private var isMisdirected: Bool {
        reader.fields.contains { $0.name == "host" && !LoopbackName.isNamed(by: $0.value) }
    }

    private static let misdirected = ControlReply.error(421, "host must be a loopback name, such as localhost")

    private func answer(_ reply: ControlReply) {
        isAnswered = true
        if let timer { server.reactor.cancel(timer) }
        timer = server.reactor.schedule(after: server.patience) { [weak self] in self?.timeIsUp() }
        say(reply.bytes)
    }

    private func say(_ bytes: [UInt8]) {
        output += bytes
        send()
    }

    private func send() {
        while !output.isEmpty {
            switch output.withUnsafeBytes({ Socket.send(descriptor, $0) }) {
            case .transferred(let count): output = output.dropFirst(count)
            case .wouldBlock: return waitFor(.write)
            case .ended, .failed: return close()
            }
        }
        // The client closes the connection after it has read the answer; otherwise the timer does.
        if isAnswered { shutdown(descriptor, Int32(SHUT_WR)) }
        waitFor(.read)
    }

    private func waitFor(_ interest: Interest) {
        guard let watch else { return close() }
        do {
            try server.reactor.rewatch(watch, interest)
        } catch {
            close()
        }
    }

    private func timeIsUp() {
        if isAnswered { close() } else { answer(.error(408, "the request is incomplete")) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let timer { server.reactor.cancel(timer) }
        if let watch { server.reactor.unwatch(watch) }
        Socket.close(descriptor)
        server.ended(number)
    }
}
