import APNs
import Delivery
import MockAPNs
import PushClient
import Testing
import TimeCore

extension PushClientTests {
    @Suite("A credential is replaced while the client works")
    struct CredentialReplacementTests {
        private func second(_ mock: MockAPNs) -> ProviderCredential {
            ProviderCredential(
                keyFile: mock.secondKeyFile, keyIdentifier: mock.secondKeyID, teamIdentifier: mock.teamID)
        }

        private func refusals(_ mock: MockAPNs) -> Int {
            mock.ledgerEntries().count { if case .answered(status: 403, reason: _) = $0.answer { true } else { false } }
        }

        @Test("Pushes under way and those to come are all accepted once, each over a connection of its key")
        func underWay() async throws {
            // No connection is replaced for the age of its token.
            let stage = try MockStage(mockOptions: { $0.ledger = .full }, change: { $0.tokenChangeInterval = .zero })
            let pushes = Task { try await stage.run(20_000) }
            while stage.acceptedTags().count < 2_000 { try await Task.sleep(for: .milliseconds(1)) }
            try stage.client.replaceCredential(second(stage.mock))
            let recorder = try await pushes.value
            #expect(recorder.accepted.count == 20_000)
            #expect(try await stage.run(100, firstTag: 20_000).accepted.count == 100)
            #expect(stage.acceptedTags().count == 20_100 && stage.acceptedTags().values.allSatisfy { $0 == 1 })
            #expect(refusals(stage.mock) == 0)
            #expect(stage.client.identity.account["key"] == stage.mock.secondKeyID)
            #expect(await stage.client.snapshot().counts.authorizations == 2)
            await stage.close()
        }

        @Test(
            "A refused key gives way to a good one, and what waited goes out; one that cannot be read changes nothing")
        func refused() async throws {
            let stage = try MockStage(
                mockOptions: { $0.ledger = .full },
                credential: { good in
                    ProviderCredential(
                        keyFile: good.keyFile, keyIdentifier: "ANOTHERKEY", teamIdentifier: good.teamIdentifier)
                })
            let probe = try #require(ProbePush.apns(topic: "\(stage.mock.bundleID).push-type.liveactivity"))
            #expect(await stage.client.probeCredential(probe) == .refused(reason: "InvalidProviderToken"))
            let pushes = Task { try await stage.run(50) }
            #expect(throws: PushConfigurationError.self) {
                try stage.client.replaceCredential(
                    ProviderCredential(
                        keyFile: "/no/such/key.p8", keyIdentifier: stage.mock.keyID,
                        teamIdentifier: stage.mock.teamID))
            }
            #expect(stage.client.identity.account["key"] == "ANOTHERKEY")
            try stage.client.replaceCredential(second(stage.mock))
            #expect(try await pushes.value.accepted.count == 50)
            #expect(await stage.client.probeCredential(probe) == .good)
            await stage.close()
        }
    }
}
