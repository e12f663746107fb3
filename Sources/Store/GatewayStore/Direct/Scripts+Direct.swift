extension Scripts {
    static let beginDirect = ScriptLibrary.embedded["begin-direct"]
    static let finishDirect = ScriptLibrary.embedded["finish-direct"]
    static let renewDirect = ScriptLibrary.embedded["renew-direct"]
    static let showDirect = ScriptLibrary.embedded["show-direct"]
}
