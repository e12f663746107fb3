extension Scripts {
    static let findNewestUpdate = ScriptLibrary.embedded["find-newest-update"]
    static let hasMet = ScriptLibrary.embedded["has-met"]
    static let keepFormerTokens = ScriptLibrary.embedded["keep-former-tokens"]
    static let findToken = ScriptLibrary.embedded["find-token"]
    static let nameLiveActivity = ScriptLibrary.embedded["name-live-activity"]
    static let noteMet = ScriptLibrary.embedded["note-met"]
    static let noteTap = ScriptLibrary.embedded["note-tap"]
    static let putUpdateCell = ScriptLibrary.embedded["put-update-cell"]
    static let readFormerTokens = ScriptLibrary.embedded["read-former-tokens"]
    static let showAgain = ScriptLibrary.embedded["show-again"]
}
