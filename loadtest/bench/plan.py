"""How much is measured: a whole run, or a short one while something is being built."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Numbers of devices, pushes and repetitions."""

    rounds: int = 7
    pushes: int = 200_000
    large_pushes: int = 100_000
    gateway_devices: int = 200_000
    gateway_rounds: int = 5
    latency_devices: int = 30_156
    latency_rounds: int = 5
    million: int = 1_000_000
    hundred_thousand: int = 100_000
    million_rounds: int = 3
    stored_devices: int = 1_000_000
    sync_devices: int = 20_000
    sync_rotations: int = 9
    sync_rounds: int = 11
    #: Four partitions of 55,552 devices. A gateway takes two at a time, so two gateways have as many each.
    scale_devices: int = 222_208
    scale_rounds: int = 3
    scale_cost_rounds: int = 7
    partition_devices: int = 55_552
    command_rounds: int = 3
    idle_seconds: int = 5
    small_starts: int = 9
    #: Of these each is updated every few seconds at the most: updates of one activity are paced.
    small_activities: int = 22_000
    small_memory_activities: int = 2_000
    small_alone: int = 5_000
    small_commands: int = 1_000
    small_rounds: int = 5
    small_seconds: int = 10
    log_activities: int = 20_000
    log_rounds: int = 27
    log_seconds: int = 1
    #: Powers of ten: devices of an update, and activities of one device that live.
    size_decades: int = 6
    size_activity_decades: int = 5
    profile_activities: int = 20_000
    profile_seconds: int = 8
    is_short: bool = False


WHOLE = Plan()
SHORT = Plan(
    rounds=2, pushes=50_000, large_pushes=20_000, gateway_devices=30_000, gateway_rounds=2, latency_devices=10_000,
    latency_rounds=2, million=60_000, hundred_thousand=20_000, million_rounds=1, stored_devices=20_000,
    sync_devices=5_000, sync_rotations=3, sync_rounds=2, scale_rounds=1, scale_cost_rounds=2,
    partition_devices=20_000, command_rounds=1, idle_seconds=2, small_starts=5,
    small_activities=16_000, small_memory_activities=2_000, small_alone=1_500, small_commands=300, small_rounds=2,
    small_seconds=4, log_activities=5_000, log_rounds=4, log_seconds=2,
    size_decades=4, size_activity_decades=3, profile_activities=8_000, profile_seconds=4,
    is_short=True)
