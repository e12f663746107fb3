import Synchronization

/// Named steps with a line each, for people who wait. May be used from any thread; a call returns when its text, if
/// any, is written.
///
/// On a terminal the lines are drawn again in place, at most ten times a second, when something is reported. Elsewhere
/// each step writes one line when it ends.
public final class ProgressDisplay: Sendable {
    private let screen: Mutex<ProgressScreen>
    private let columns: @Sendable () -> Int?
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration

    /// - Parameter labelWidth: The columns for the names of steps; longer ones are cut.
    public convenience init(
        output: TerminalOutput = .standardError, environment: [String: String], labelWidth: Int = 10
    ) {
        let begin = ContinuousClock.now
        self.init(
            style: output.style(environment: environment), labelWidth: labelWidth, columns: { output.columns },
            write: { output.write($0) }, now: { begin.duration(to: .now) })
    }

    /// A display of which everything is chosen.
    ///
    /// - Parameters:
    ///   - columns: The width now; asked before each report, since windows change. Nil leaves the style's.
    ///   - write: Called with the display's lock held: it must not call back.
    ///   - now: A clock that never goes back.
    public init(
        style: TerminalStyle, labelWidth: Int = 10, columns: @escaping @Sendable () -> Int? = { nil },
        write: @escaping @Sendable (String) -> Void, now: @escaping @Sendable () -> Duration
    ) {
        screen = Mutex(ProgressScreen(style: style, labelWidth: max(1, labelWidth)))
        self.columns = columns
        self.write = write
        self.now = now
    }

    /// Begins a step.
    ///
    /// - Parameter total: What there is to do; nil when nobody knows.
    public func begin(_ label: String, total: Int? = nil) -> ProgressStep {
        let identifier = report { screen, now in
            let (identifier, output) = screen.began(label, total: total, now: now)
            return (identifier, output)
        }
        return ProgressStep(display: self, identifier: identifier)
    }

    /// Writes a line above those that go on.
    public func note(_ text: String) {
        report { screen, now in ((), screen.noted(text, now: now)) }
    }

    /// Draws again, if a tenth of a second has gone by: so that clocks go on where nothing is reported.
    public func refresh() {
        report { screen, now in ((), screen.drawing(now)) }
    }

    fileprivate func report<Value>(
        _ body: (inout ProgressScreen, Duration) -> (Value, String)
    ) -> Value where Value: Sendable {
        screen.withLock { screen in
            if screen.style.isInteractive, let width = columns() {
                screen.style = TerminalStyle(
                    isInteractive: true, usesColor: screen.style.usesColor, usesUnicode: screen.style.usesUnicode,
                    width: width)
            }
            let (value, output) = body(&screen, now())
            if !output.isEmpty { write(output) }
            return value
        }
    }
}

/// One step of a display. What is reported after its end is passed over.
public struct ProgressStep: Sendable {
    fileprivate let display: ProgressDisplay
    fileprivate let identifier: Int

    /// So many are done in all.
    public func advance(to done: Int) {
        display.report { screen, now in ((), screen.advanced(identifier, to: done, now: now)) }
    }

    /// So many more are done.
    public func advance(by count: Int) {
        display.report { screen, now in ((), screen.advanced(identifier, by: count, now: now)) }
    }

    /// It is done: the line stays, with a check mark and the time that it took.
    public func finish(_ remark: String? = nil) {
        display.report { screen, now in ((), screen.ended(identifier, .passed, remark: remark, now: now)) }
    }

    /// It went wrong: the line stays, with a cross and the reason.
    public func fail(_ reason: String) {
        display.report { screen, now in ((), screen.ended(identifier, .failed, remark: reason, now: now)) }
    }
}
