/// What a start has begun, to be taken back when it does not come to its end.
final class StartSteps {
    private var undoing: [() async -> Void] = []

    /// Something has begun.
    /// - Parameter undo: ends it.
    func begun(_ undo: @escaping () async -> Void) { undoing.append(undo) }

    /// Ends all that has begun, the last first.
    func takeBack() async {
        while let undo = undoing.popLast() { await undo() }
    }
}
