import ArgumentParser
import AttributionListener

extension ForwardingField: ExpressibleByArgument {}
