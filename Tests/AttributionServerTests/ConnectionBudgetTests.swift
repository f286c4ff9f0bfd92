import AttributionServer
import Testing

@Suite("The budget of connections")
struct ConnectionBudgetTests {
    @Test(
        "All connections together leave descriptors to the store, and everything is as usual where there are enough",
        arguments: [
            (1 << 20, 4096, 256, 1024), (20_000, 4096, 256, 1024), (5_184, 4096, 256, 1024), (1_024, 768, 192, 192),
            (256, 154, 38, 38), (128, 52, 13, 12), (16, 8, 2, 8), (0, 8, 2, 8),
        ])
    func budget(descriptors: Int, ingress: Int, perAddress: Int, console: Int) {
        let budget = ConnectionBudget(descriptors: descriptors)
        #expect(budget.ingress == ingress)
        #expect(budget.ingressPerAddress == perAddress)
        #expect(budget.console == console)
        #expect(descriptors < 128 || budget.ingress + budget.console + ConnectionBudget.reserve <= descriptors)
    }
}
