/// The completed steps of a start, undone if a later step fails.
final class StartSteps {
    private var undoing: [() async -> Void] = []

    /// Records a step.
    /// - Parameter undo: Reverts the step.
    func begun(_ undo: @escaping () async -> Void) { undoing.append(undo) }

    /// Undoes all steps in reverse order.
    func takeBack() async {
        while let undo = undoing.popLast() { await undo() }
    }
}
