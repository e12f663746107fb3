import TLS
import Hummingbird
@main struct Main { static func main() { print("x") } }
