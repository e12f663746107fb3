extension Scripts {
    static let takePermits = ScriptLibrary.embedded["take-permits"]
    static let slowDown = ScriptLibrary.embedded["slow-down"]
}
