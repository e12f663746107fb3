import CHiredis
import Reactor

extension RedisConnection {
    /// A unix socket's path, or an address in numbers: the library would block on a name.
    enum Target: Equatable {
        case unix(path: String)
        case tcp(address: String, port: UInt16)
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
