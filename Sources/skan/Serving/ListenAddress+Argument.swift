import ArgumentParser
import AttributionServer

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}

extension SigningAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}
