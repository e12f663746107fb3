import Foundation
import Reactor
import RedisClient
import Testing
import TimeCore

@testable import RedisServerProcess

@Suite(.timeLimit(.minutes(2))) struct ServerProcessTests {
    @Test func aServerThatIsNotInstalledIsToldWithTheRemedy() async throws {
        var options = RedisServerOptions()
        options.executable = "no-such-redis-server"
        await #expect(throws: RedisServerError.notInstalled) {
            try await RedisServerProcess.start(in: "/tmp/fanfare-redis-missing-\(getpid())", options: options)
        }
        #expect(RedisServerError.notInstalled.description.contains("apt-get install redis-server"))
        rmdir("/tmp/fanfare-redis-missing-\(getpid())")
    }

    @Test func aServerThatEndsAtOnceIsToldWithItsLog() async throws {
        let directory = "/tmp/fanfare-redis-bad-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = RedisServerOptions()
        options.arguments = ["--no-such-option", "1"]
        await #expect {
            _ = try await RedisServerProcess.start(in: directory, options: options)
        } throws: { error in
            guard case RedisServerError.ended(let log) = error else { return false }
            return log.contains("no-such-option")
        }
    }

    @Test func aPathThatIsTooLongForASocketIsRefused() async throws {
        await #expect {
            _ = try await RedisServerProcess.start(in: "/tmp/" + String(repeating: "x", count: 120))
        } throws: { error in
            if case RedisServerError.unusableDirectory = error { true } else { false }
        }
    }

    @Test func appendOnlyDataSurvivesAStopAndTheServerIsOfAGroupOfItsOwn() async throws {
        var options = RedisServerOptions()
        options.persistence = .appendOnly
        options.listensOnTCP = true
        try await withServer(options) { server, reactor in
            let child = try #require(server.processIdentifier)
            #expect(getpgid(child) == child)
            let client = RedisClient(reactor: reactor, endpoint: try #require(server.tcpEndpoint))
            _ = try await client.value(RedisCommand("SET", "kept", "yes"))
            await server.stop()
            #expect(!server.isRunning)
            #expect(kill(child, 0) != 0)
            try await server.start()
            #expect(
                await eventually {
                    await client.call(RedisCommand("GET", "kept")) == .success(.bytes(Array("yes".utf8)))
                })
            await client.shutdown()
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func whatTheServerKeepsIsOpenToNobodyElseWhateverWasThereBefore() async throws {
        let directory = "/tmp/fanfare-redis-open-\(getpid())"
        let files = FileManager.default
        defer { try? files.removeItem(atPath: directory) }
        try files.createDirectory(atPath: directory + "/appendonlydir", withIntermediateDirectories: true)
        for name in ["redis.log", "appendonlydir/old.aof", "notes.txt"] {
            _ = files.createFile(atPath: "\(directory)/\(name)", contents: Data("old\n".utf8))
            #expect(chmod("\(directory)/\(name)", 0o644) == 0)
        }
        #expect(chmod(directory, 0o755) == 0 && chmod(directory + "/appendonlydir", 0o755) == 0)
        #expect(symlink("notes.txt", directory + "/nodes.conf") == 0)

        var options = RedisServerOptions()
        options.persistence = .appendOnly
        let server = try await RedisServerProcess.start(in: directory, options: options)
        var found = ["redis.sock", "redis.log", "redis.lock", "appendonlydir"]
        found += try files.contentsOfDirectory(atPath: directory + "/appendonlydir").map { "appendonlydir/\($0)" }
        #expect(found.count > 5, "\(found)")
        for name in found {
            let mode = mode("\(directory)/\(name)")
            #expect(mode != 0 && mode & 0o077 == 0, "\(name) has \(String(mode, radix: 8))")
        }
        await server.stop()
        // Files that are not the server's keep their modes, even if a link leads to them.
        #expect(mode(directory + "/notes.txt") == 0o644 && mode(directory) == 0o755)
    }

    @Test func aDirectoryInWhichAnybodyMayWriteIsRefused() async throws {
        let directory = "/tmp/fanfare-redis-writable-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // The sticky bit of /tmp does not help, because any user may have put files there first.
        for mode in [0o777, 0o1777] as [mode_t] {
            #expect(chmod(directory, mode) == 0)
            await #expect {
                _ = try await RedisServerProcess.start(in: directory)
            } throws: { error in
                String(describing: error).contains("chmod o-w \(directory)")
            }
            #expect(throws: RedisServerError.self) { try RedisServerProcess.verify(directory) }
        }
        #expect(chmod(directory, 0o770) == 0)
        let server = try await RedisServerProcess.start(in: directory)
        await server.stop()
    }

    @Test func filesOfThisUserAndOfRootAreTrustedAndOfOthersOnlyByRootInTheirOwnDirectory() {
        // The trusted owners of files, by user and by the directory's owner.
        let trusted: [(by: uid_t, directoryOf: uid_t, files: [uid_t])] = [
            (1000, 1000, [0, 1000]), (1000, 1001, [0, 1000]), (0, 0, [0]), (0, 1001, [0, 1001]),
        ]
        for (user, directory, owners) in trusted {
            for owner in [0, 1000, 1001] as [uid_t] {
                let isTrusted = PrivateFiles.isTrusted(owner, by: user, inDirectoryOf: directory)
                #expect(isTrusted == owners.contains(owner), "\(owner) by \(user) in \(directory)")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away; whose files are trusted is tested by itself"))
    func whatAnotherUserHasPutIntoTheDirectoryIsRefused() async throws {
        let directory = "/tmp/fanfare-redis-planted-\(getpid())"
        let files = FileManager.default
        defer { try? files.removeItem(atPath: directory) }
        try files.createDirectory(atPath: directory + "/appendonlydir", withIntermediateDirectories: true)
        for name in ["appendonlydir/planted.aof", "webhooks.key", "redis.lock"] {
            let path = "\(directory)/\(name)"
            #expect(files.createFile(atPath: path, contents: Data("x".utf8)) && chown(path, 65_534, 65_534) == 0)
            #expect {
                try RedisServerProcess.verify(directory, alsoHolding: "webhooks.key")
            } throws: { error in
                String(describing: error).contains("\(path) belongs to another user (65534)")
            }
            if name != "webhooks.key" {
                await #expect(throws: RedisServerError.self) { try await RedisServerProcess.start(in: directory) }
            }
            // Root may serve from another user's directory with that user's files.
            #expect(chown(directory, 65_534, 65_534) == 0)
            #expect(throws: Never.self) { try RedisServerProcess.verify(directory, alsoHolding: "webhooks.key") }
            #expect(chown(directory, 0, 0) == 0)
            try files.removeItem(atPath: path)
        }
        #expect(throws: Never.self) { try RedisServerProcess.verify(directory + "/none") }
    }

    @Test func aDirectoryInUseIsRefused() async throws {
        try await withServer { server, _ in
            await #expect {
                _ = try await RedisServerProcess.start(in: server.directory)
            } throws: { error in
                String(describing: error).contains("in use")
            }
            #expect(server.isRunning)
        }
    }

    @Test func aServerLeftOverFromACrashIsShutDownFirst() async throws {
        try await withServer { server, reactor in
            await server.stop()
            var leftover = pid_t()
            let arguments = [
                "redis-server", "--port", "0", "--unixsocket", server.directory + "/redis.sock", "--save", "",
                "--logfile", server.directory + "/leftover.log",
            ]
            var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            vector.append(nil)
            defer { for argument in vector { free(argument) } }
            #expect(posix_spawnp(&leftover, "redis-server", nil, nil, vector, environ) == 0)
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
            #expect(await eventually { await client.call(RedisCommand("SET", "old", 1)) == .success(.status("OK")) })
            try await server.start()
            var status: Int32 = 0
            #expect(waitpid(leftover, &status, 0) == leftover)
            #expect(await eventually { await client.call(RedisCommand("GET", "old")) == .success(.null) })
            await client.shutdown()
        }
    }

    @Test func aServerThatEndsByItselfIsStartedAgainWithItsData() async throws {
        var options = RedisServerOptions()
        options.persistence = .appendOnly
        try await withServer(options) { server, reactor in
            let (events, event) = AsyncStream<RedisServerProcess.WatchEvent>.makeStream()
            let watch = Task { try await server.keepRunning { event.yield($0) } }
            var coming = events.makeAsyncIterator()
            let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
            #expect(
                await eventually { await client.call(RedisCommand("SET", "kept", "yes")) == .success(.status("OK")) })
            for _ in 0..<2 {
                let child = try #require(server.processIdentifier)
                kill(child, SIGKILL)
                guard case .ended(let reason, _)? = await coming.next() else {
                    Issue.record("its end is told first")
                    return
                }
                #expect(reason.contains("signal 9"), "\(reason)")
                guard case .startedAgain? = await coming.next() else {
                    Issue.record("it is started again")
                    return
                }
                #expect(server.processIdentifier != child)
                #expect(
                    await eventually {
                        await client.call(RedisCommand("GET", "kept")) == .success(.bytes(Array("yes".utf8)))
                    })
            }
            watch.cancel()
            try await watch.value
            #expect(server.isRunning)
            await client.shutdown()
        }
    }

    @Test func aServerThatDoesNotStayIsGivenUpWithTheReason() async throws {
        let link = "/tmp/fanfare-redis-link-\(getpid())"
        let places: [String] = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"]
        let found = places.first { access($0, X_OK) == 0 }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: try #require(found))
        defer { unlink(link) }
        var options = RedisServerOptions()
        options.executable = link
        try await withServer(options) { server, _ in
            unlink(link)
            kill(try #require(server.processIdentifier), SIGKILL)
            var policy = RestartPolicy()
            policy.backoff.first = .milliseconds(1)
            policy.maximumEnds = 4
            let told = Locked(0)
            await #expect(throws: RedisServerError.notInstalled) {
                try await server.keepRunning(policy) { _ in told.withLock { $0 += 1 } }
            }
            #expect(told.withLock { $0 } == 3 && !server.isRunning)
        }
    }

    @Test func pausesGrowWhileAServerDoesNotStay() {
        var policy = RestartPolicy()
        func pauses(_ count: Int) -> [TimeCore.TimeInterval?] {
            (0..<count).map { _ in policy.ended(after: .seconds(1)) }
        }
        #expect(pauses(4) == [100, 200, 400, 800].map { TimeCore.TimeInterval.milliseconds($0) })
        #expect(policy.ended(after: .seconds(60)) == .milliseconds(100), "it has stayed meanwhile")
        let rest = pauses(11)
        #expect(rest[9] == .seconds(10) && rest[10] == nil)
    }

    @Test func aServerThatIsDroppedIsKilled() async throws {
        let directory = "/tmp/fanfare-redis-dropped-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var server: RedisServerProcess? = try await RedisServerProcess.start(in: directory)
        let child = try #require(server?.processIdentifier)
        server = nil
        #expect(kill(child, 0) != 0)
    }
}
