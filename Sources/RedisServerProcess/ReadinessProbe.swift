import Reactor
import TimeCore

/// Asks a server whether it serves.
enum ReadinessProbe {
    /// True when the server at the unix socket answers PING with PONG, or demands a password, before `end`. False
    /// when it is not there, still loads its data, or stays silent.
    static func answersPing(_ path: String, until end: MonotonicTime) async -> Bool {
        guard let address = SocketAddress(unixPath: path), let descriptor = try? Socket.connect(to: address) else {
            return false
        }
        defer { Socket.close(descriptor) }
        let ping = Array("PING\r\n".utf8)
        guard ping.withUnsafeBytes({ Socket.send(descriptor, $0) }) == .transferred(ping.count) else { return false }
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
