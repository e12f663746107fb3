import Synchronization

/// A display of named steps with one line each. Callable on any thread. A call returns after its text, if any, is
/// written.
///
/// On a terminal, a report redraws the lines in place, at most ten times a second. Elsewhere, each step writes one line
/// when it ends.
public final class ProgressDisplay: Sendable {
    private let screen: Mutex<ProgressScreen>
    private let columns: @Sendable () -> Int?
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration

    /// - Parameter labelWidth: The width of the column of names. Longer names are cut.
    public convenience init(
        output: TerminalOutput = .standardError, environment: [String: String], labelWidth: Int = 10
    ) {
        let begin = ContinuousClock.now
        self.init(
            style: output.style(environment: environment), labelWidth: labelWidth, columns: { output.columns },
            write: { output.write($0) }, now: { begin.duration(to: .now) })
    }

    /// Creates a display with a custom style, output and clock.
    ///
    /// - Parameters:
    ///   - columns: Returns the current width, before each report because windows change. Nil keeps the style's width.
    ///   - write: Called under the display's lock, so it must not call back.
    ///   - now: A monotonic clock.
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
    /// - Parameter total: The expected number; nil if unknown.
    public func begin(_ label: String, total: Int? = nil) -> ProgressStep {
        let identifier = report { screen, now in
            let (identifier, output) = screen.began(label, total: total, now: now)
            return (identifier, output)
        }
        return ProgressStep(display: self, identifier: identifier)
    }

    /// Writes a line above the running steps.
    public func note(_ text: String) {
        report { screen, now in ((), screen.noted(text, now: now)) }
    }

    /// Redraws if a tenth of a second has passed. This advances clocks without reports.
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

/// A step of a display. Reports after its end are ignored.
public struct ProgressStep: Sendable {
    fileprivate let display: ProgressDisplay
    fileprivate let identifier: Int

    /// Sets the total number of completed items.
    public func advance(to done: Int) {
        display.report { screen, now in ((), screen.advanced(identifier, to: done, now: now)) }
    }

    /// Adds to the number of completed items.
    public func advance(by count: Int) {
        display.report { screen, now in ((), screen.advanced(identifier, by: count, now: now)) }
    }

    /// Completes the step. Its line stays, with a check mark and the elapsed time.
    public func finish(_ remark: String? = nil) {
        display.report { screen, now in ((), screen.ended(identifier, .passed, remark: remark, now: now)) }
    }

    /// Fails the step. Its line stays, with a cross and the reason.
    public func fail(_ reason: String) {
        display.report { screen, now in ((), screen.ended(identifier, .failed, remark: reason, now: now)) }
    }
}
