// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum ExchangeProviderTokenReply {
        case taken
        case shared(issued: String, token: [UInt8])
        case nothing

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .taken
            case 0:
                guard parts.count >= 3,
                    let issued = ScriptReply.text(parts[1]),
                    let token = ScriptReply.bytes(parts[2])
                else { return nil }
                return .shared(issued: issued, token: token)
            case 2: return .nothing
            default: return nil
            }
        }
    }

    static let exchangeProviderTokenScript = RedisScript(
        name: "exchange-provider-token", source: String(cString: store_script_exchange_provider_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 5)))

    /// Sets the provider token of an account if there is none, else returns the present one.
    static func exchangeProviderToken(
        providerToken: String, issued: some RedisArgumentConvertible, token: some RedisArgumentConvertible,
        lifetime: some RedisArgumentConvertible, refused: some RedisArgumentConvertible,
        interval: some RedisArgumentConvertible
    ) -> ScriptCall<ExchangeProviderTokenReply> {
        ScriptCall(
            exchangeProviderTokenScript, [providerToken], [issued, token, lifetime, refused, interval],
            read: ExchangeProviderTokenReply.read)
    }
}
