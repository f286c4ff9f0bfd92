public import ArgumentParser
public import AttributionHTTP

extension ForwardingField: ExpressibleByArgument {}
