import ArgumentParser

/// Does one step of the hot path so many times and nothing else, for a tool that counts instructions.
@main
struct HotPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hot-path", abstract: "Repeats one step of a push, for a tool that counts instructions.")

    enum Step: String, ExpressibleByArgument, CaseIterable {
        case pushEncode = "push-encode"
        case answerDecode = "answer-decode"
        case rosterPageDecode = "roster-page-decode"
        case fanOut = "fan-out"
        case jsonSlice = "json-slice"
    }

    @Argument(help: "Which step: \(Step.allCases.map(\.rawValue).joined(separator: ", ")).")
    var step: Step
    @Argument(help: "How many times; of pages each device counts.")
    var count: Int

    func run() throws {
        let sum =
            switch step {
            case .pushEncode: PushSteps.encode(count)
            case .answerDecode: PushSteps.decode(count)
            case .rosterPageDecode: RosterStep.decode(count)
            case .fanOut: FanOutStep.send(count)
            case .jsonSlice: JSONStep.slice(count)
            }
        // What is printed cannot have been left out by the compiler.
        print(sum)
    }
}
