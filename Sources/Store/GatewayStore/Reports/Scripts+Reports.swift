extension Scripts {
    static let findNewestUpdate = ScriptLibrary.embedded["find-newest-update"]
    static let hasMet = ScriptLibrary.embedded["has-met"]
    static let nameLiveActivity = ScriptLibrary.embedded["name-live-activity"]
    static let noteMet = ScriptLibrary.embedded["note-met"]
    static let noteTap = ScriptLibrary.embedded["note-tap"]
    static let putUpdateCell = ScriptLibrary.embedded["put-update-cell"]
    static let showAgain = ScriptLibrary.embedded["show-again"]
}
