public import TerminalDisplay

extension LoadReport {
    /// Formats the report for a terminal.
    public func text(_ style: TerminalStyle) -> String {
        (phases.map { $0.text(target, style) }
            + [matchDay?.text(target, style), phones?.text(target, style)].compactMap { $0 })
            .joined(separator: "\n")
    }
}

extension PhonesReport {
    fileprivate func text(_ target: String, _ style: TerminalStyle) -> String {
        var summary = Summary("phones  \(target)")
        summary.check("show the right Live Activity", Format.count(compared - wrong), passed: wrong == 0)
        if wrong > 0 { summary.check("show other, old or no content", Format.count(wrong), passed: false) }
        if dropped > 0 { summary.check("pushes not decoded", Format.count(dropped), passed: false) }
        if refused > 0 { summary.add("skipped: a push was refused", Format.count(refused)) }
        return summary.render(style) + "\n" + sentences.map { $0 + "\n" }.joined()
    }
}

extension MatchDayReport {
    fileprivate func text(_ target: String, _ style: TerminalStyle) -> String {
        var summary = Summary("match day  \(target)")
        summary.check("topics ended", Format.count(topics - unsettled), passed: unsettled == 0)
        if opening.topics > 0 {
            summary.check(
                "starts accepted at going live",
                "\(Format.count(opening.accepted)) of \(Format.count(opening.devices))",
                passed: opening.accepted == opening.devices)
            summary.add("  from going live to the last", opening.seconds.asDuration)
        }
        summary.add("devices by state", "")
        for tally in states {
            summary.check("  \(tally.name)", Format.count(tally.count), passed: !MatchDayReport.isBad(tally.name))
        }
        for tally in ends { summary.add("  ended by \(tally.name)", Format.count(tally.count)) }
        if unreported > 0 { summary.add("without time to report their token", Format.count(unreported)) }
        return summary.render(style) + "\n"
    }
}

extension LoadReport.Phase {
    fileprivate func text(_ target: String, _ style: TerminalStyle) -> String {
        var summary = Summary("\(name)  \(target)")
        summary.add("answers", "\(Format.count(sent - unanswered)) in \(seconds.asDuration), \(Format.rate(rate))")
        if followUps > 0 {
            let calls = sent - followUps
            summary.add("  to scheduled calls", "\(Format.count(calls)), \(Format.rate(Double(calls) / seconds))")
            summary.add("  to follow-up calls", Format.count(followUps))
        }
        summary.check("succeeded", Format.count(succeeded), passed: failed == 0)
        if tooEarly > 0 { summary.add("too early, repeated", Format.count(tooEarly)) }
        for (label, count) in [
            ("rate-limited (429)", rateLimited), ("refused", refused), ("unanswered", unanswered),
            ("due, but never sent", neverSent),
        ] where count > 0 {
            summary.check(label, Format.count(count), passed: false)
        }
        for tally in codes + losses { summary.add("  \(tally.name)", Format.count(tally.count)) }
        addPunctuality(to: &summary)
        for tally in pushes where tally.count > 0 { summary.add("pushes by \(tally.name)", Format.count(tally.count)) }
        if replaced > 0 { summary.add("skipped: no activity", Format.count(replaced)) }
        summary.add("generator's CPU time", "\(processorPerCall.asDuration) a call")
        return notes.map { $0 + "\n" }.joined() + summary.render(style) + "\n" + tables(style)
    }

    private func addPunctuality(to summary: inout Summary) {
        guard isByTheClock else { return }
        guard late > 0 else { return summary.add("sent late", "0") }
        summary.add("sent late", "\(Format.count(late)), by up to \(worstLateness.asDuration)")
        let own = late - heldByBound - heldByPlayer
        for (label, count) in [
            ("  in-flight limit (\(Format.count(inFlight)))", heldByBound),
            ("  nothing to call", heldByPlayer), ("  connections or generator", own),
        ] where count > 0 {
            summary.add(label, Format.count(count))
        }
    }

    private func tables(_ style: TerminalStyle) -> String {
        let answers = [rateLimitedAnswers, refusedAnswers].filter { $0.sinceSent.count > 0 }
        guard isByTheClock else {
            return "From sending to the answer\n" + table(kinds + answers, \.sinceSent, style)
        }
        // A follow-up is due when it is sent, so its waiting time is zero.
        let byTheClock = kinds.filter { $0.followUps < $0.sent }
        // A single kind equals the total, unless some calls were never sent.
        let isAll = kinds.count == 1 && all.sinceDue == kinds.first?.sinceDue
        return "From the due time to the answer: the wait of callers\n"
            + table(byTheClock + (isAll ? [] : [all]) + answers, \.sinceDue, style)
            + "\nFrom sending to the answer: the time of the gateway\n" + table(kinds + answers, \.sinceSent, style)
    }

    private func table(
        _ rows: [LoadReport.Row], _ latency: KeyPath<LoadReport.Row, LoadReport.Latency>, _ style: TerminalStyle
    ) -> String {
        var table = Table([
            .init("calls"), .init("count", .right), .init("50 %", .right), .init("90 %", .right),
            .init("99 %", .right), .init("99.9 %", .right), .init("most", .right),
        ])
        for row in rows {
            let latency = row[keyPath: latency]
            guard latency.count > 0 else { continue }
            table.add(
                row.name, Format.count(latency.count), latency.p50.asDuration, latency.p90.asDuration,
                latency.p99.asDuration, latency.p999.asDuration, latency.max.asDuration)
        }
        return table.render(style)
    }
}

extension UInt64 {
    /// Formats nanoseconds.
    fileprivate var asDuration: String { Format.duration(.nanoseconds(Int64(clamping: self))) }
}

extension Double {
    /// Formats seconds.
    fileprivate var asDuration: String { Format.duration(.seconds(self)) }
}
