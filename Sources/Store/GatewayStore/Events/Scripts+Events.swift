extension Scripts {
    static let addWebhook = ScriptLibrary.embedded["add-webhook"]
    static let changeWebhook = ScriptLibrary.embedded["change-webhook"]
    static let deleteWebhook = ScriptLibrary.embedded["delete-webhook"]
    static let findUnpublishedPages = ScriptLibrary.embedded["find-unpublished-pages"]
    static let leaseDeliveries = ScriptLibrary.embedded["lease-deliveries"]
    static let publishEvents = ScriptLibrary.embedded["publish-events"]
    static let resendDeadLetters = ScriptLibrary.embedded["resend-dead-letters"]
    static let resealWebhook = ScriptLibrary.embedded["reseal-webhook"]
    static let rotateWebhook = ScriptLibrary.embedded["rotate-webhook"]
    static let settleDelivery = ScriptLibrary.embedded["settle-delivery"]
    static let switchStream = ScriptLibrary.embedded["switch-stream"]
    static let takeDeliveries = ScriptLibrary.embedded["take-deliveries"]
}
