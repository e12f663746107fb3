extension Scripts {
    static let admit = ScriptLibrary.embedded["admit"]
    static let changeTenant = ScriptLibrary.embedded["change-tenant"]
    static let forgetSecrets = ScriptLibrary.embedded["forget-secrets"]
    static let putCredential = ScriptLibrary.embedded["put-credential"]
    static let resealSecrets = ScriptLibrary.embedded["reseal-secrets"]
    static let rotateSecret = ScriptLibrary.embedded["rotate-secret"]
}
