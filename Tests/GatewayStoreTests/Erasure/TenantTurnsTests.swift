import Reactor
import Testing

@testable import GatewayStore

@Suite("Turns of tenants")
struct TenantTurnsTests {
    @Test("One caller of a tenant has the turn at a time, and other tenants have their own")
    func oneAtATime() async {
        let turns = TenantTurns()
        let state = Locked((present: 0, most: 0, calls: 0))
        await turns.acquire("other")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<20 {
                        await turns.acquire("tenant")
                        state.withLock { state in
                            state.present += 1
                            state.calls += 1
                            state.most = max(state.most, state.present)
                        }
                        await Task.yield()
                        state.withLock { $0.present -= 1 }
                        turns.release("tenant")
                        await Task.yield()
                    }
                }
            }
        }
        turns.release("other")
        let (present, most, calls) = state.withLock { $0 }
        #expect(present == 0 && most == 1 && calls == 160)
    }
}
