import Reactor
import Testing
import TimeCore

@Suite("Host names")
struct ResolverTests {
    private func resolve(
        _ host: String, timeout: TimeInterval = .seconds(20)
    ) async throws -> Result<[String], ResolutionError>? {
        try await withReactor { reactor in
            await outcome(on: reactor) { done in
                Resolver.resolve(host: host, port: 443, timeout: timeout, on: reactor) { result in
                    done(result.map { $0.map(\.description) })
                }
            }
        }
    }

    @Test(
        "Addresses in numbers are their own answer",
        arguments: [
            ("127.0.0.1", "127.0.0.1:443"), ("::1", "[::1]:443"), ("192.0.2.255", "192.0.2.255:443"),
        ])
    func numeric(host: String, address: String) async throws {
        #expect(try await resolve(host) == .success([address]))
    }

    @Test("A numeric answer does not come before resolve has returned, and comes on the reactor")
    func notFromWithin() async throws {
        let order: [String]? = try await withReactor { reactor in
            await outcome(on: reactor) { done in
                let record = Record<String>()
                Resolver.resolve(host: "127.0.0.1", port: 1, timeout: .seconds(5), on: reactor) { _ in
                    record.values.append(reactor.isOnReactor ? "answer" : "answer elsewhere")
                    done(record.values)
                }
                record.values.append("returned")
            }
        }
        #expect(order == ["returned", "answer"])
    }

    @Test("A name that does not resolve fails with the name and the cause")
    func unknown() async throws {
        // The top-level domain `invalid` is reserved for names that never resolve (RFC 6761).
        let result = try await resolve("no-such-host.invalid")
        guard case .failure(let error)? = result else {
            Issue.record("resolved: \(String(describing: result))")
            return
        }
        #expect(error.description.hasPrefix("cannot resolve no-such-host.invalid: "))
        #expect(error.description.count > "cannot resolve no-such-host.invalid: ".count)
    }

    @Test("The local host resolves")
    func local() async throws {
        let addresses = try await resolve("localhost")?.get() ?? []
        #expect(addresses.contains { $0 == "127.0.0.1:443" || $0 == "[::1]:443" })
    }

    @Test("The answer comes by the timeout, and once")
    func timeout() async throws {
        try await withReactor { reactor in
            let answers = Record<Bool>()
            let first: Bool? = await outcome(on: reactor) { done in
                Resolver.resolve(host: "slow-host.invalid", port: 1, timeout: .zero, on: reactor) { result in
                    answers.values.append(true)
                    if case .failure(.timedOut(host: "slow-host.invalid")) = result { done(true) } else { done(false) }
                }
            }
            #expect(first == true)
            // A later answer of the resolver's would come as a job or a timer.
            let count: Int? = await outcome(on: reactor) { done in
                reactor.schedule(after: .milliseconds(300)) { done(answers.values.count) }
            }
            #expect(count == 1)
        }
    }

    @Test("Addresses know their family's spelling", arguments: ["127.0.0.1", "::1"])
    func spelling(host: String) {
        #expect(SocketAddress(numericHost: host, port: 5)?.numericHost == host)
        #expect(SocketAddress(numericHost: "localhost", port: 5) == nil)
        #expect(SocketAddress(unixPath: "/a/b")?.description == "unix:/a/b")
        #expect(SocketAddress(unixPath: "/a/b")?.numericHost == nil)
        #expect(SocketAddress(unixPath: "") == nil)
        #expect(SocketAddress(unixPath: String(repeating: "x", count: 107)) != nil)
        #expect(SocketAddress(unixPath: String(repeating: "x", count: 108)) == nil)
    }
}
