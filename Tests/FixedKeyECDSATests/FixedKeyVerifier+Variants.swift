import FixedKeyECDSA

extension FixedKeyVerifier {
    /// A verifier of every window width that adds one point at a time, and of every width one that adds eight, where the
    /// machine can.
    static func variants(_ publicKeys: [ECDSAPublicKey], windowWidths: [Int]) -> [FixedKeyVerifier] {
        [false, true].filter { !$0 || hasLanes }.flatMap { usesLanes in
            windowWidths.map { FixedKeyVerifier(publicKeys: publicKeys, windowWidth: $0, usesLanes: usesLanes) }
        }
    }
}
