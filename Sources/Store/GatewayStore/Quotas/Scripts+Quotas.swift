extension Scripts {
    static let addRequests = ScriptLibrary.embedded["add-requests"]
    static let takePermits = ScriptLibrary.embedded["take-permits"]
    static let slowDown = ScriptLibrary.embedded["slow-down"]
}
