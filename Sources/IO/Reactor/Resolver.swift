import Glibc
public import TimeCore

/// The reason why a host name was not resolved.
public enum ResolutionError: Error, Equatable, Sendable, CustomStringConvertible {
    case failed(host: String, reason: String)
    case timedOut(host: String)

    public var description: String {
        switch self {
        case .failed(let host, let reason): "cannot resolve \(host): \(reason)"
        case .timedOut(let host): "cannot resolve \(host): no answer from the resolver in time"
        }
    }
}

/// Resolves host names off the reactor. The system's resolver blocks, so each look-up has its own thread.
public enum Resolver {
    /// Calls `completion` once on the reactor's thread, at the latest after `timeout`. Numeric addresses need no
    /// thread, but are never reported before `resolve` has returned.
    public static func resolve(
        host: String, port: UInt16, timeout: TimeInterval, on reactor: Reactor,
        completion: @escaping (Result<[SocketAddress], ResolutionError>) -> Void
    ) {
        let answer = Answer(on: reactor, completion)
        if let address = SocketAddress(numericHost: host, port: port) {
            reactor.execute { answer.give(.success([address])) }
            return
        }
        reactor.schedule(after: timeout) { answer.give(.failure(.timedOut(host: host))) }
        let started = BackgroundThread.run {
            let (addresses, failure) = SocketAddress.lookUp(host, port, flags: 0)
            reactor.execute {
                answer.give(failure.map { .failure(.failed(host: host, reason: $0)) } ?? .success(addresses))
            }
        }
        if !started {
            reactor.execute { answer.give(.failure(.failed(host: host, reason: "no thread for the look-up"))) }
        }
    }

    /// Passes on the first of several answers and drops the others. Confined to the reactor.
    private final class Answer: @unchecked Sendable {
        private let reactor: Reactor
        private var completion: ((Result<[SocketAddress], ResolutionError>) -> Void)?

        init(on reactor: Reactor, _ completion: @escaping (Result<[SocketAddress], ResolutionError>) -> Void) {
            self.reactor = reactor
            self.completion = completion
        }

        func give(_ result: Result<[SocketAddress], ResolutionError>) {
            assert(reactor.isOnReactor)
            completion?(result)
            completion = nil
        }
    }
}

/// A detached thread for one call that blocks.
enum BackgroundThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Returns false if the kernel refuses another thread.
    static func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(work))
        var identifier = pthread_t()
        let status = pthread_create(
            &identifier, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard status == 0 else {
            body.release()
            return false
        }
        pthread_detach(identifier)
        return true
    }
}
