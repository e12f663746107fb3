import Foundation
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

@Suite("Commands and TLS", .serialized)
struct EncryptedRedisTests {
    @Test("A gateway whose listener speaks TLS says so, and reads its certificate anew when SIGHUP tells it to")
    func renewal() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        environment["FANFARE_HTTP_TLS_CERTIFICATE_FILE"] = TestTLS.server.certificateFile
        environment["FANFARE_HTTP_TLS_KEY_FILE"] = TestTLS.server.keyFile
        let serve = try commands.start(["serve"], environment: environment)
        defer { serve.terminate() }
        #expect(try await serve.said("https://127.0.0.1:"))
        // Nothing has changed, so it does not do that by itself.
        kill(serve.process.processIdentifier, SIGHUP)
        #expect(try await serve.said("listener certificate reloaded"))
        serve.process.terminate()
        #expect(try await serve.ended().status == 0)
    }

    @Test("A command reaches a Redis that demands TLS, a certificate and a user, and says which of them does not fit")
    func commands() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var options = RedisServerOptions()
        var tls = TestTLS.server
        tls.demandsCertificates = true
        options.tls = tls
        options.arguments = ["--user", "shop", "on", ">p@ss:w/d", "~fanfare:*", "+@all", "--user", "default", "off"]
        let server = try await RedisServerProcess.start(
            in: commands.folder.appending(path: "redis").path, options: options, deadline: .seconds(30))
        var plainOptions = RedisServerOptions()
        plainOptions.listensOnTCP = true
        let plain = try await RedisServerProcess.start(
            in: commands.folder.appending(path: "plain").path, options: plainOptions, deadline: .seconds(30))
        guard case .tcp(_, let port) = server.endpoint.location,
            case .tcp(_, let plainPort) = plain.tcpEndpoint?.location
        else { return }
        var environment = [
            "FANFARE_REDIS_URL": "rediss://shop:p%40ss%3Aw%2Fd@localhost:\(port)", "FANFARE_REDIS_CA_FILE": tls.caFile,
            "FANFARE_REDIS_CERTIFICATE_FILE": tls.certificateFile, "FANFARE_REDIS_KEY_FILE": tls.keyFile,
        ]
        let created = try await commands.run(
            "tenant", "create", "shop", "--no-signatures", "--json", environment: environment)
        #expect(created.status == 0, "\(created.errors)")
        let listed = try await commands.run("tenant", "list", environment: environment)
        #expect(listed.output.contains("shop"), "\(listed.errors)")

        for (variable, value, words) in [
            ("FANFARE_REDIS_CA_FILE", "", ["certificate verify failed: ", "redis.ca_file"]),
            ("FANFARE_REDIS_URL", "rediss://shop:hunter2@localhost:\(port)", ["refused the sign-in: WRONGPASS"]),
            (
                "FANFARE_REDIS_URL", "redis://shop:hunter2@localhost:\(port)",
                ["use rediss:// instead of redis:// in redis.url"]
            ),
            (
                "FANFARE_REDIS_URL", "rediss://shop:hunter2@localhost:\(plainPort)",
                ["does not answer in TLS", "redis:// for a server without TLS"]
            ),
        ] {
            let former = environment.updateValue(value, forKey: variable)
            let refused = try await commands.run("tenant", "list", environment: environment)
            #expect(refused.status == 1)
            for word in words { #expect(refused.errors.contains(word), "\(refused.errors)") }
            #expect(!refused.errors.contains("hunter2"))
            environment[variable] = former
        }
        for variable in ["FANFARE_REDIS_CERTIFICATE_FILE", "FANFARE_REDIS_KEY_FILE"] { environment[variable] = nil }
        let refused = try await commands.run("tenant", "list", environment: environment)
        #expect(refused.status == 1 && refused.errors.contains("redis.certificate_file"), "\(refused.errors)")
        await plain.stop()
        await server.stop()
    }
}
