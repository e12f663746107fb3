import Reactor

// The way through a proxy, between the socket and the handshake.
extension TLSConnection {
    func sendToProxy() {
        guard let tunnel else { return }
        let outcome = tunnel.request.withUnsafeBytes { request in
            Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: request[tunnelSent...]))
        }
        switch outcome {
        case .transferred(let count): tunnelSent += count
        case .wouldBlock, .ended: break
        case .failed(let error): return end(.socket(error))
        }
        watchForWriting(tunnelSent < tunnel.request.count)
    }

    func receiveFromProxy() {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
            switch Socket.receive(descriptor, into: buffer) {
            case .transferred(let count):
                switch tunnel?.received(buffer[..<count]) {
                case .open(let behind):
                    tunnel = nil
                    beginHandshake()
                    guard behind > 0, state == .open else { return }
                    session.receive(UnsafeRawBufferPointer(rebasing: buffer[(count - behind)..<count]))
                    advance()
                case .refused(let reason): end(.proxy(reason))
                case .waiting, nil: break
                }
            case .wouldBlock: break
            case .ended: end(.proxy("it closed the connection"))
            case .failed(let error): end(.socket(error))
            }
        }
    }
}
