import Broadcasts
import Delivery
import GatewayStore
import MetricsCore
import TimeCore

extension MetricPage {
    mutating func add(_ jobs: JobSnapshot) {
        addBroadcasts(jobs)
        addOutcomes(jobs)
        addJobs(jobs)
    }

    private mutating func addBroadcasts(_ jobs: JobSnapshot) {
        counter("fanfare_broadcasts_recorded_total", "Broadcasts recorded by this gateway.") { family in
            for kind in PushEvent.allCases { family.add(jobs.counts.recorded[kind] ?? 0, ["kind": kind.rawValue]) }
        }
        counter("fanfare_broadcasts_finished_total", "Broadcasts whose last job this gateway completed.") { family in
            for (kind, states) in jobs.counts.finished {
                for (state, count) in states { family.add(count, ["kind": kind.rawValue, "state": state.rawValue]) }
            }
        }
        counter(
            "fanfare_broadcast_stops_total",
            "Broadcasts stopped by this gateway, because every further push would have failed too."
        ) { family in
            for (reason, count) in jobs.counts.stops { family.add(count, ["reason": reason]) }
        }
        counter(
            "fanfare_broadcast_rejections_total",
            "Jobs too small to be stopped, with nearly all pushes rejected."
        ) { family in
            for (reason, count) in jobs.counts.rejections { family.add(count, ["reason": reason]) }
        }
        counter(
            "fanfare_broadcast_wrong_environment_total",
            "Jobs with many tokens refused as belonging to another environment or app."
        ) { family in
            for cohort in Cohort.allCases {
                family.add(jobs.counts.wrongEnvironments[cohort] ?? 0, ["cohort": cohort.rawValue])
            }
        }
    }

    private mutating func addOutcomes(_ jobs: JobSnapshot) {
        counter("fanfare_broadcast_devices_total", "Devices of broadcasts by outcome.") { family in
            for (device, count) in jobs.counts.devices {
                family.add(
                    count,
                    [
                        "event": device.kind.rawValue, "cohort": device.cohort.rawValue,
                        "outcome": device.outcome.rawValue, "reason": device.reason,
                    ])
            }
        }
        histogram("fanfare_broadcast_duration_seconds", "Time from the recording of a broadcast to its end.") {
            family in
            for (kind, histogram) in zip(PushEvent.allCases, jobs.durations) {
                family.add(histogram, ["kind": kind.rawValue])
            }
        }
        histogram("fanfare_broadcast_stage_seconds", "Time of broadcasts from one stage to the next.") { family in
            for (stage, histogram) in zip(BroadcastStage.allCases, jobs.stages) {
                family.add(histogram, ["stage": stage.rawValue])
            }
        }
        gauge("fanfare_broadcasts_unfinished", "Unfinished broadcasts of all gateways.") {
            $0.add(jobs.unfinished)
        }
        gauge(
            "fanfare_broadcast_lag_seconds",
            "Age of the oldest job that this gateway has taken but not started."
        ) { $0.keepLargest(nanoseconds: jobs.lag.nanoseconds) }
        gauge(
            "fanfare_job_silence_seconds",
            "Longest time without an answer from the provider, over all running jobs."
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
        histogram("fanfare_job_wait_seconds", "Time from the recording of a job to its start by this gateway.") {
            family in
            for (lane, histogram) in zip(JobLane.allCases, jobs.waits) {
                family.add(histogram, ["lane": lane.description])
            }
        }
        counter("fanfare_jobs_resumed_total", "Jobs that another gateway had started before.") {
            $0.add(jobs.counts.resumed)
        }
        counter("fanfare_jobs_lost_total", "Jobs that another gateway took over from this gateway.") {
            $0.add(jobs.counts.lost)
        }
        counter(
            "fanfare_jobs_left_to_others_total",
            "Times that this gateway could not push while others could, and handed its jobs over."
        ) { $0.add(jobs.counts.lettingsGo) }
        counter("fanfare_jobs_handed_over_total", "Jobs that this gateway handed back.") {
            $0.add(jobs.counts.handedOver)
        }
    }
}
