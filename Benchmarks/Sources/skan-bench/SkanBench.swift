import Foundation
import Glibc

/// Measures the built binary against the project's bars; each figure was taken in the run that prints it.
@main
enum SkanBench {
    static func main() {
        do {
            let options = try BenchmarkOptions(arguments: Array(CommandLine.arguments.dropFirst()))
            guard !options.wantsHelp else {
                print(BenchmarkOptions.usage)
                return
            }
            raiseOpenFiles()
            let workspace = try Workspace(under: options.work, keepsStores: options.keepsStores)
            defer { workspace.removeAll() }
            let watch = SignalWatch(workspace)
            let isMet = try withExtendedLifetime(watch) { try measure(options, in: workspace) }
            workspace.removeAll()
            exit(isMet ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("skan-bench: error: \(error)\n".utf8))
            exit(2)
        }
    }

    /// Runs the parts, and says whether every bar was met.
    private static func measure(_ options: BenchmarkOptions, in workspace: Workspace) throws -> Bool {
        let stopwatch = Stopwatch()
        let bench = try Bench(options, workspace)
        for part in options.parts {
            print("\n== \(part.name): \(part.summary)")
            try part.run(bench)
        }
        bench.board.printMarkdown()
        bench.board.note("took \(stopwatch.seconds.shown) s")
        return !bench.board.hasMissedBar
    }

    /// The overload needs thousands of sockets, here and in the server.
    private static func raiseOpenFiles() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
