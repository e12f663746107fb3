import CHiredis
import Reactor
import TLS
import TimeCore

extension RedisConnection {
    /// A unix socket's path, or an address in numbers: the library would block on a name.
    enum Target: Equatable {
        case unix(path: String)
        case tcp(address: String, port: UInt16)
    }

    /// Begins to connect over TLS. Returns why that is not possible, or nil when the outcome is to come.
    /// - Parameter names: the host, and others that the server's certificate may be for.
    func open(address: String, port: UInt16, names: [String], _ files: RedisTLS, timeout: TimeInterval) -> String? {
        guard let address = SocketAddress(numericHost: address, port: port) else { return "no address" }
        do throws(ConnectionEnd) {
            stream = try EncryptedStream(to: address, names: names, files: files, timeout: timeout, for: self)
            return nil
        } catch {
            return TLSAdvice.reason(error, names: names, hasCertificate: files.certificateFile != nil)
        }
    }

    /// Begins to connect. Returns why that is not possible, or nil when the outcome is to come.
    func open(_ target: Target) -> String? {
        let opened =
            switch target {
            case .unix(let path): redisAsyncConnectUnix(path)
            case .tcp(let address, let port): redisAsyncConnect(address, Int32(port))
            }
        guard let opened else { return "no memory for a connection" }
        guard opened.pointee.err == 0 else {
            let reason = opened.pointee.errstr.map { String(cString: $0) } ?? "the connection failed"
            redisAsyncFree(opened)
            return reason
        }
        if case .tcp = target { redisEnableKeepAlive(&opened.pointee.c) }
        do {
            try attach(opened)
            return nil
        } catch {
            context = nil
            redisAsyncFree(opened)
            return error.description
        }
    }
}
