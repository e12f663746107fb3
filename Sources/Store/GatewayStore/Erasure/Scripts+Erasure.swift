extension Scripts {
    static let concludeErasure = ScriptLibrary.embedded["conclude-erasure"]
    static let noteLeaving = ScriptLibrary.embedded["note-leaving"]
    static let setAside = ScriptLibrary.embedded["set-aside"]
}
