import Broadcasts
import Delivery
import GatewayStore
import MetricsCore
import TimeCore

extension MetricPage {
    mutating func add(_ jobs: JobSnapshot) {
        addBroadcasts(jobs)
        addJobs(jobs)
    }

    private mutating func addBroadcasts(_ jobs: JobSnapshot) {
        counter("fanfare_broadcasts_recorded_total", "Broadcasts that this gateway has recorded.") { family in
            for kind in PushEvent.allCases { family.add(jobs.counts.recorded[kind] ?? 0, ["kind": kind.rawValue]) }
        }
        counter("fanfare_broadcasts_finished_total", "Broadcasts whose last job was done by this gateway.") { family in
            for (kind, states) in jobs.counts.finished {
                for (state, count) in states { family.add(count, ["kind": kind.rawValue, "state": state.rawValue]) }
            }
        }
        counter(
            "fanfare_broadcast_stops_total",
            "Broadcasts that this gateway has stopped, because every further push would have fared alike."
        ) { family in
            for (reason, count) in jobs.counts.stops { family.add(count, ["reason": reason]) }
        }
        counter(
            "fanfare_broadcast_rejections_total",
            "Jobs, too small to be stopped, of which the provider has rejected nearly all pushes."
        ) { family in
            for (reason, count) in jobs.counts.rejections { family.add(count, ["reason": reason]) }
        }
        counter(
            "fanfare_broadcast_wrong_environment_total",
            "Jobs of which many tokens were refused as those of another environment or app."
        ) { family in
            for cohort in Cohort.allCases {
                family.add(jobs.counts.wrongEnvironments[cohort] ?? 0, ["cohort": cohort.rawValue])
            }
        }
        counter("fanfare_broadcast_devices_total", "Devices by what became of them in a broadcast.") { family in
            for (device, count) in jobs.counts.devices {
                family.add(
                    count,
                    [
                        "event": device.kind.rawValue, "cohort": device.cohort.rawValue,
                        "outcome": device.outcome.rawValue, "reason": device.reason,
                    ])
            }
        }
        histogram("fanfare_broadcast_duration_seconds", "From when a broadcast was recorded until it had ended.") {
            family in
            for (kind, histogram) in zip(PushEvent.allCases, jobs.durations) {
                family.add(histogram, ["kind": kind.rawValue])
            }
        }
        histogram("fanfare_broadcast_stage_seconds", "What broadcasts took from one stage to the next.") { family in
            for (stage, histogram) in zip(BroadcastStage.allCases, jobs.stages) {
                family.add(histogram, ["stage": stage.rawValue])
            }
        }
        gauge("fanfare_broadcasts_unfinished", "Broadcasts of all gateways that have not ended.") {
            $0.add(jobs.unfinished)
        }
        gauge(
            "fanfare_broadcast_lag_seconds",
            "How long the oldest job that this gateway has taken and not begun has waited since it was recorded."
        ) { $0.keepLargest(nanoseconds: jobs.lag.nanoseconds) }
        gauge(
            "fanfare_job_silence_seconds",
            "For how long the job at work that has heard nothing from the provider for longest has not."
        ) { $0.keepLargest(nanoseconds: jobs.silence.nanoseconds) }
    }

    private mutating func addJobs(_ jobs: JobSnapshot) {
        gauge("fanfare_jobs", "Jobs that this gateway has taken.") { family in
            for lane in JobLane.allCases {
                family.add(jobs.running[lane.rawValue], ["lane": lane.description, "state": "running"])
                family.add(jobs.resting[lane.rawValue], ["lane": lane.description, "state": "resting"])
                family.add(jobs.waiting[lane.rawValue], ["lane": lane.description, "state": "waiting"])
            }
        }
        counter("fanfare_jobs_taken_total", "Jobs that this gateway has taken.") { family in
            for lane in JobLane.allCases {
                family.add(jobs.counts.taken[lane.rawValue], ["lane": lane.description])
            }
        }
        histogram("fanfare_job_wait_seconds", "From when a job was recorded until this gateway has begun it.") {
            family in
            for (lane, histogram) in zip(JobLane.allCases, jobs.waits) {
                family.add(histogram, ["lane": lane.description])
            }
        }
        counter("fanfare_jobs_resumed_total", "Jobs on which another gateway had worked before.") {
            $0.add(jobs.counts.resumed)
        }
        counter("fanfare_jobs_lost_total", "Jobs that another gateway has taken over from this one.") {
            $0.add(jobs.counts.lost)
        }
        counter(
            "fanfare_jobs_left_to_others_total",
            "How often this gateway could not push while others could, and left its jobs to them."
        ) { $0.add(jobs.counts.lettingsGo) }
        counter("fanfare_jobs_handed_over_total", "Jobs that this gateway has given back.") {
            $0.add(jobs.counts.handedOver)
        }
    }
}
