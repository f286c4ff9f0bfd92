/// Whether a new connection may stay.
enum IngressAdmission: String, Sendable {
    case accepted = "accepted"
    case overTotalCap = "over-total-cap"
    case overAddressCap = "over-address-cap"
    case stopping = "stopping"
}
