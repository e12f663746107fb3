extension Scripts {
    static let countStates = ScriptLibrary.embedded["count-states"]
}
