import Testing

@testable import RedisClient

@Suite struct EndpointTests {
    @Test func urlsOfEverySupportedFormAreParsed() throws {
        #expect(try RedisEndpoint(url: "redis://cache") == .init(location: .tcp(host: "cache", port: 6379)))
        #expect(try RedisEndpoint(url: "redis://[::1]:7000/") == .init(location: .tcp(host: "::1", port: 7000)))
        #expect(
            try RedisEndpoint(url: "REDIS://ann:p%40ss:w%2Fd@10.0.0.1:6380/12")
                == .init(
                    location: .tcp(host: "10.0.0.1", port: 6380), user: "ann", password: "p@ss:w/d", database: 12))
        #expect(
            try RedisEndpoint(url: "redis://:secret@cache")
                == .init(location: .tcp(host: "cache", port: 6379), password: "secret"))
        #expect(try RedisEndpoint(url: "unix:///run/redis.sock") == .init(location: .unix(path: "/run/redis.sock")))
        #expect(
            try RedisEndpoint(url: "unix:///run/redis.sock?db=3")
                == .init(location: .unix(path: "/run/redis.sock"), database: 3))
    }

    @Test func severalUrlsArePlacesOfOneCluster() throws {
        let endpoint = try RedisEndpoint(url: "redis://:p,w@a:1, redis://b:2,unix:///c.sock,redis://a:1,redis://:x@d")
        #expect(endpoint.location == .tcp(host: "a", port: 1))
        #expect(endpoint.password == "p,w")
        #expect(endpoint.seeds == [.tcp(host: "b", port: 2), .unix(path: "/c.sock"), .tcp(host: "d", port: 6379)])
        #expect(throws: RedisEndpointError.self) { try RedisEndpoint(url: "redis://a,http://b") }
        #expect(throws: RedisEndpointError.self) { try RedisEndpoint(url: "redis://a,b,redis://c") }
    }

    @Test(arguments: [
        "", "cache:6379", "http://cache", "redis://", "redis://:0", "redis://cache:", "redis://cache:0",
        "redis://cache:65536", "redis://cache:99999999999999999999", "redis://cache/x", "redis://[::1",
        "redis://[::1]x",
        "redis://a b", "redis://u@cache", "redis://u:%4@cache", "redis://u:%zz@cache", "redis://u:%00@cache",
        "redis://u:%ff@cache", "unix://relative", "unix:///x?y=1", "unix:///x?db=-1", "unix://",
    ])
    func whatIsNoEndpointIsRefusedInPlainWords(_ text: String) {
        #expect { try RedisEndpoint(url: text) } throws: { error in
            let description = String(describing: error)
            return description.contains("redis://[user:password@]host[:port][/db]") && description.contains("unix:///")
        }
    }

    @Test func redissIsTheSameOverTLS() throws {
        let endpoint = try RedisEndpoint(url: "rediss://us%65r:hunt%2F2@cache/3")
        var wanted = RedisEndpoint(
            location: .tcp(host: "cache", port: 6379), user: "user", password: "hunt/2", database: 3)
        #expect(endpoint != wanted)
        wanted.tls = RedisTLS()
        #expect(endpoint == wanted)
        #expect(endpoint.description == "rediss://cache:6379/3")
    }

    @Test func placesOfOneClusterAreAllEncryptedOrNone() throws {
        let endpoint = try RedisEndpoint(url: "rediss://a,rediss://b:7000")
        #expect(endpoint.tls != nil && endpoint.seeds == [.tcp(host: "b", port: 7000)])
        for text in ["rediss://u:hunter2@a,redis://b", "redis://a,rediss://u:hunter2@b", "unix:///a,rediss://b"] {
            #expect { try RedisEndpoint(url: text) } throws: { error in
                "\(error)".contains("others do not") && !"\(error)".contains("hunter2")
            }
        }
        // A node that only the cluster has named may show a certificate for the configured hosts.
        let node = endpoint.node(.tcp(host: "10.0.0.7", port: 7001))
        #expect(node.trustedNames == ["a", "b"] && node.tls != nil)
        #expect(node.node(.tcp(host: "10.0.0.8", port: 7001)).trustedNames == ["a", "b"])
    }

    @Test func noDescriptionShowsThePassword() throws {
        let endpoint = try RedisEndpoint(url: "redis://ann:hunter2@[::1]:7000/3")
        #expect(endpoint.description == "redis://[::1]:7000/3")
        var dumped = ""
        dump(endpoint, to: &dumped)
        for text in ["\(endpoint)", String(reflecting: endpoint), "\([endpoint])", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
