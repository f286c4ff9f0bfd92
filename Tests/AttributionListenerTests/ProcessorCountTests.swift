import AttributionListener
import Testing

@Suite("How many processors the server may use")
struct ProcessorCountTests {
    @Test(
        "The affinity is counted from its mask",
        arguments: [
            ("Name:\tskan\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2),
            ("Cpus_allowed:\t00000001,80000000\n", 2),
            ("Cpus_allowed:\tffff\n", 16),
            ("Cpus_allowed_list:\t0-1\n", nil),
            ("Cpus_allowed:\t0\n", nil),
            ("", nil),
        ] as [(String, Int?)])
    func mask(_ status: String, _ count: Int?) {
        #expect(ProcessorCount.allowed(status) == count)
    }

    @Test("There is at least one")
    func available() {
        #expect(ProcessorCount.available >= 1)
    }
}
