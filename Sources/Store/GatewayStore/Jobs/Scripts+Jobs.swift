extension Scripts {
    static let addLateEnd = ScriptLibrary.embedded["add-late-end"]
    static let beginJob = ScriptLibrary.embedded["begin-job"]
    static let completeJob = ScriptLibrary.embedded["complete-job"]
    static let dropStartPages = ScriptLibrary.embedded["drop-start-pages"]
    static let forgetVanished = ScriptLibrary.embedded["forget-vanished"]
    static let giveBackItems = ScriptLibrary.embedded["give-back-items"]
    static let removeJob = ScriptLibrary.embedded["remove-job"]
    static let renewJobs = ScriptLibrary.embedded["renew-jobs"]
    static let finishBroadcast = ScriptLibrary.embedded["finish-broadcast"]
    static let takeJobs = ScriptLibrary.embedded["take-jobs"]
}
