import Reactor
import TimeCore

/// Asks a server whether it serves.
enum ReadinessProbe {
    /// Connects and sends a command without arguments. The caller closes the descriptor; nil when nobody is there.
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

    /// Shuts down the server at the unix socket, if there is one. False when it is still there at `end`.
    static func shutDownLeftover(_ path: String, until end: MonotonicTime) async -> Bool {
        while let descriptor = say("SHUTDOWN", path) {
            Socket.close(descriptor)
            guard MonotonicTime.now() < end else { return false }
            await pauseBriefly()
        }
        return true
    }

    /// True when the server at the unix socket answers PING with PONG, or demands a password, before `end`. False
    /// when it is not there, still loads its data, or stays silent.
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
