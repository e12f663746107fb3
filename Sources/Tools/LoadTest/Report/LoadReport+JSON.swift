import LiveActivity

extension LoadReport {
    /// The report as a JSON object. Times are in milliseconds.
    public var json: [UInt8] {
        JSONWriter.object { writer in
            writer.field("ok", failed == 0 && !isBrokenOff && isRight && matchDay?.isWhole ?? true)
            writer.field("target", target)
            writer.field("failed", failed)
            writer.field("broken_off", isBrokenOff)
            writer.field("activity_id", activityID)
            if let phones { writer.object("phones") { phones.write(to: &$0) } }
            if let matchDay { writer.object("match_day") { matchDay.write(to: &$0) } }
            writer.array("phases") { array in
                for phase in phases { array.object { phase.write(to: &$0) } }
            }
        }
    }
}

extension PhonesReport {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.field("compared", compared)
        writer.field("wrong", wrong)
        writer.field("refused", refused)
        writer.field("dropped_pushes", dropped)
        writer.field("sentences", sentences)
    }
}

extension MatchDayReport {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.field("topics", topics)
        writer.object("opening") {
            $0.field("topics", opening.topics)
            $0.field("devices", opening.devices)
            $0.field("accepted", opening.accepted)
            $0.field("seconds", opening.seconds)
        }
        writer.object("devices") { object in for tally in states { object.field(tally.name, tally.count) } }
        writer.object("ended_by") { object in for tally in ends { object.field(tally.name, tally.count) } }
        writer.field("unreported", unreported)
        writer.field("unsettled", unsettled)
    }
}

extension LoadReport.Phase {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.field("name", name)
        writer.field("open_loop", isByTheClock)
        writer.field("seconds", seconds)
        writer.field("answers_per_second", rate)
        writer.field("in_flight_limit", inFlight)
        writer.field("sent", sent)
        writer.field("succeeded", succeeded)
        writer.field("too_early", tooEarly)
        writer.field("rate_limited", rateLimited)
        writer.field("refused", refused)
        writer.field("unanswered", unanswered)
        writer.field("follow_ups", followUps)
        writer.field("never_sent", neverSent)
        writeOutcomes(to: &writer)
        writer.object("latency_all") { all.writeLatencies(to: &$0) }
        writer.object("latency_rate_limited") { rateLimitedAnswers.writeLatencies(to: &$0) }
        writer.object("latency_refused") { refusedAnswers.writeLatencies(to: &$0) }
        writer.array("calls") { array in
            for row in kinds { array.object { row.write(to: &$0) } }
        }
    }

    private func writeOutcomes(to writer: inout JSONObjectWriter) {
        writer.object("late") {
            $0.field("calls", late)
            $0.field("held_by_in_flight_limit", heldByBound)
            $0.field("held_for_an_activity", heldByPlayer)
            $0.field("worst_ms", Double(worstLateness) / 1_000_000)
        }
        writer.object("statuses") { object in for tally in statuses { object.field(tally.name, tally.count) } }
        writer.object("codes") { object in for tally in codes { object.field(tally.name, tally.count) } }
        writer.object("losses") { object in for tally in losses { object.field(tally.name, tally.count) } }
        if !pushes.isEmpty {
            writer.object("pushes") { object in for tally in pushes { object.field(tally.name, tally.count) } }
        }
        writer.field("replaced", replaced)
        writer.field("cpu_us_per_call", processorPerCall * 1_000_000)
        writer.field("broken_off", isBrokenOff)
        writer.field("notes", notes)
    }
}

extension LoadReport.Row {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.field("kind", name)
        writer.field("sent", sent)
        writer.field("succeeded", succeeded)
        writer.field("too_early", tooEarly)
        writer.field("rate_limited", rateLimited)
        writer.field("refused", refused)
        writer.field("unanswered", unanswered)
        writer.field("follow_ups", followUps)
        writeLatencies(to: &writer)
    }

    fileprivate func writeLatencies(to writer: inout JSONObjectWriter) {
        writer.object("since_due") { sinceDue.write(to: &$0) }
        writer.object("since_sent") { sinceSent.write(to: &$0) }
    }
}

extension LoadReport.Latency {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.field("count", count)
        writer.field("mean_ms", mean / 1_000_000)
        for (name, value) in [("p50_ms", p50), ("p90_ms", p90), ("p99_ms", p99), ("p99_9_ms", p999), ("max_ms", max)] {
            writer.field(name, Double(value) / 1_000_000)
        }
    }
}
