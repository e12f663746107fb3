import Foundation

/// Repeats one step of the path of a push and nothing else, for a tool that counts instructions.
@main
enum HotPath {
    private static let steps: [(name: String, repeated: @Sendable (Int) -> Int)] = [
        ("push-encode", PushSteps.encode),
        ("answer-decode", PushSteps.decode),
        ("roster-page-decode", RosterStep.decode),
        ("fan-out", FanOutStep.send),
        ("json-slice", JSONStep.slice),
    ]

    /// Takes a step and a number of repetitions. Each device of a page counts as one.
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let step = steps.first(where: { $0.name == arguments[1] }),
            let count = Int(arguments[2]), count > 0
        else {
            let usage = "usage: hot-path STEP COUNT\nsteps: \(steps.map(\.name).joined(separator: ", "))\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        // Because the sum is printed, the compiler cannot remove the work.
        print(step.repeated(count))
    }
}
