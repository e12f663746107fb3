extension Scripts {
    static let claimToken = ScriptLibrary.embedded["claim-token"]
    static let claimTokens = ScriptLibrary.embedded["claim-tokens"]
    static let dropToken = ScriptLibrary.embedded["drop-token"]
    static let importDevices = ScriptLibrary.embedded["import-devices"]
    static let markReached = ScriptLibrary.embedded["mark-reached"]
    static let markToken = ScriptLibrary.embedded["mark-token"]
    static let noteHandOver = ScriptLibrary.embedded["note-hand-over"]
    static let putDevice = ScriptLibrary.embedded["put-device"]
    static let releaseToken = ScriptLibrary.embedded["release-token"]
    static let settleToken = ScriptLibrary.embedded["settle-token"]
}
