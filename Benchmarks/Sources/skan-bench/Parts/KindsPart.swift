/// What is not to be recorded, beside what is: the rate of each kind of traffic alone, on one server, in turns.
struct KindsPart: BenchmarkPart {
    let name = "kinds"
    let summary = "duplicates, conflicts, forged postbacks and garbage alone, each against fresh ones"

    private static let rounds = 5

    private struct Kind {
        let name: String
        let workload: Workload
        var ratios: [Double] = []
        var rates: [Double] = []
    }

    func run(_ bench: Bench) throws {
        let pool = RequestPool(path: "/skadnetwork/postbacks") { [pem = bench.keys.p256] in
            PostbackMaker(.current, key: try SigningKey(pem: pem))
        }
        let store = bench.workspace.file("kinds.sqlite")
        defer { bench.workspace.remove(store) }
        let fresh = try ServerLoad(bench, store: store, .postbacks(pool))
        defer { fresh.server.stop() }
        let first = try fresh.run(
            LoadPlan(seconds: bench.options.seconds), name: "fresh postbacks, whose copies follow")
        // As many of each kind as were recorded, and no more: a later one has nothing to be a copy of.
        let plan = LoadPlan(seconds: bench.options.seconds / 4, limit: first.succeeded)
        var kinds = [
            Kind(name: "duplicates", workload: .duplicates(pool)),
            Kind(name: "conflicts", workload: .conflicts(pool.changed(ChangedBody.conflict))),
            Kind(name: "forged postbacks", workload: .quarantined(pool.changed(ChangedBody.forged))),
            Kind(name: "garbage", workload: .quarantined(pool.changed(ChangedBody.garbage))),
        ]
        for round in 1...Self.rounds {
            for index in kinds.indices {
                // Between two phases of fresh ones: machines become slower and faster from one second to the next.
                let before = try fresh.run(plan, name: "fresh postbacks before, run \(round)")
                let load = ServerLoad(
                    bench, to: fresh.server, kinds[index].workload, expecting: first.perSecond * 2)
                let result = try load.run(plan, name: "\(kinds[index].name), run \(round)")
                let after = try fresh.run(plan, name: "fresh postbacks after, run \(round)")
                kinds[index].rates.append(result.perSecond)
                kinds[index].ratios.append(result.perSecond / ((before.perSecond + after.perSecond) / 2))
            }
        }
        for kind in kinds {
            bench.board.add(
                Figure(
                    name: "\(kind.name) alone ÷ fresh postbacks",
                    measured: "\(kind.rates.median.shown)/s",
                    reference: "\((kind.rates.median / kind.ratios.median).shown)/s",
                    value: kind.ratios.median,
                    bar: .atLeast(1)))
        }
    }
}
