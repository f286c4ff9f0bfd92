import ArgumentParser
import AttributionServer

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}
