extension Scripts {
    static let findToHeal = ScriptLibrary.embedded["find-to-heal"]
    static let postponeHealing = ScriptLibrary.embedded["postpone-healing"]
    static let prepareRestart = ScriptLibrary.embedded["prepare-restart"]
    static let renewLock = ScriptLibrary.embedded["renew-lock"]
}
