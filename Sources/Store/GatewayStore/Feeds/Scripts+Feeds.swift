extension Scripts {
    static let leaseFeed = ScriptLibrary.embedded["lease-feed"]
    static let notePoll = ScriptLibrary.embedded["note-poll"]
}
