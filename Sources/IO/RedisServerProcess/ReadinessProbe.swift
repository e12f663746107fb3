import Reactor
import TimeCore

/// Checks that a server serves.
enum ReadinessProbe {
    /// Connects and sends a command without arguments. The caller closes the descriptor; nil without a server.
    private static func say(_ command: String, _ path: String) -> Int32? {
        guard let address = SocketAddress(unixPath: path), let descriptor = try? Socket.connect(to: address) else {
            return nil
        }
        let line = Array("\(command)\r\n".utf8)
        guard line.withUnsafeBytes({ Socket.send(descriptor, $0) }) == .transferred(line.count) else {
            Socket.close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Shuts down the server at the Unix socket, if any. Returns false if it still runs at `end`.
    static func shutDownLeftover(_ path: String, until end: MonotonicTime) async -> Bool {
        while let descriptor = say("SHUTDOWN", path) {
            Socket.close(descriptor)
            guard MonotonicTime.now() < end else { return false }
            await pauseBriefly()
        }
        return true
    }

    /// Returns true if the server at the Unix socket answers PING with PONG, or requires a password, before `end`.
    /// Returns false if it is absent, loads its data, or does not answer.
    static func answersPing(_ path: String, until end: MonotonicTime) async -> Bool {
        guard let descriptor = say("PING", path) else { return false }
        defer { Socket.close(descriptor) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while MonotonicTime.now() < end, answer.count < 4096 {
            switch buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
            case .transferred(let count): answer += buffer[..<count]
            case .wouldBlock: await pauseBriefly()
            case .ended, .failed: return false
            }
            if answer.contains(UInt8(ascii: "\n")) {
                let line = String(decoding: answer, as: UTF8.self)
                return line.hasPrefix("+PONG") || line.hasPrefix("-NOAUTH")
            }
        }
        return false
    }
}
