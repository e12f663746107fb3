extension Scripts {
    static let beginChannel = ScriptLibrary.embedded["begin-channel"]
    static let doomChannel = ScriptLibrary.embedded["doom-channel"]
    static let dropChannel = ScriptLibrary.embedded["drop-channel"]
    static let forgetChannels = ScriptLibrary.embedded["forget-channels"]
    static let leaseChannels = ScriptLibrary.embedded["lease-channels"]
    static let noteStrangers = ScriptLibrary.embedded["note-strangers"]
    static let putChannel = ScriptLibrary.embedded["put-channel"]
    static let takeChannel = ScriptLibrary.embedded["take-channel"]
}
