extension Scripts {
    static let concludeErasure = ScriptLibrary.embedded["conclude-erasure"]
    static let noteLeaving = ScriptLibrary.embedded["note-leaving"]
    static let noteMembers = ScriptLibrary.embedded["note-members"]
    static let setAside = ScriptLibrary.embedded["set-aside"]
}
