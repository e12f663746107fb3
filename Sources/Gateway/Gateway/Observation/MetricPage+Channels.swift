import APNsCore
import GatewayStore
import LiveActivity
import MetricsCore
import Reactor

extension MetricPage {
    /// Adds the apps' channels in each environment, and this gateway's calls about them.
    mutating func add(_ keepers: [ChannelKeeper]) {
        let all = keepers.map { ($0.bundleIdentifier, $0.environment.rawValue, $0.state.withLock { $0 }) }
        addUse(all)
        addCalls(all)
    }

    private typealias Channels = [(String, String, ChannelKeeper.State)]

    private mutating func addUse(_ all: Channels) {
        gauge("fanfare_channels", "Broadcast channels at the provider by use.") { family in
            for (bundle, environment, state) in all {
                let counts = state.counts
                for (name, count) in [
                    ("pool", counts.pool), ("used", counts.used), ("doomed", counts.doomed),
                    ("stranger", counts.strangers),
                ] {
                    family.add(count, ["bundle": bundle, "environment": environment, "state": name])
                }
            }
        }
        gauge("fanfare_channels_left", "Broadcast channels that can still be created.") { family in
            for (bundle, environment, state) in all {
                let counts = state.counts
                let known = counts.pool + counts.used + counts.doomed + counts.strangers
                family.add(
                    max(0, ChannelRequest.limit - known), ["bundle": bundle, "environment": environment])
            }
        }
        gauge("fanfare_channel_creations_lost", "Creations of broadcast channels with an unknown result.") { family in
            for (bundle, environment, state) in all {
                family.add(state.counts.lost, ["bundle": bundle, "environment": environment])
            }
        }
    }

    private mutating func addCalls(_ all: Channels) {
        gauge("fanfare_channel_supply", "State of the supply of broadcast channels.") { family in
            for (bundle, environment, state) in all {
                for each in ChannelSupply.State.allCases {
                    family.add(
                        each == state.creations.state ? 1 : 0,
                        ["bundle": bundle, "environment": environment, "state": each.rawValue])
                }
            }
        }
        counter("fanfare_channel_calls_total", "Calls about broadcast channels by result.") { family in
            for (bundle, environment, state) in all {
                for (name, count) in state.calls {
                    family.add(
                        count,
                        ["bundle": bundle, "environment": environment, "call": name.request, "result": name.result])
                }
            }
        }
    }
}
