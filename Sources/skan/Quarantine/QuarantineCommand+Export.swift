import ArgumentParser
import Attribution
import AttributionConsole
import AttributionStore
import StrictJSON

extension QuarantineCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the bodies as received, one per line (NDJSON), oldest first.",
            discussion: """
                A body without a newline is written byte for byte. One with a newline would be read as several, and is \
                written as {"body": TEXT, "body-encoding": "utf-8"}, or in "base64" when it is not text; their number \
                is printed at the end. skan verify reads the others.
                """)

        @OptionGroup var store: StoreOption
        @OptionGroup var filter: QuarantineFilterOptions

        @Option(help: "Maximum number (default: all).")
        var limit: Int?

        func validate() throws {
            guard limit.map({ $0 > 0 }) ?? true else {
                throw ValidationError("expected --limit 1 or more")
            }
        }

        func run() async throws {
            Terminal.exitAtClosedPipe()
            let reader = try store.reader
            var wrapped = 0
            try await QuarantinePages(reader, try filter.query(limit: limit ?? .max)).forEach { page in
                for delivery in page {
                    if delivery.body.contains(UInt8(ascii: "\n")) {
                        wrapped += 1
                        Terminal.write(JSONText.object(StoredBody(delivery.body).members).line + "\n")
                    } else {
                        Terminal.write(bytes: delivery.body)
                        Terminal.write("\n")
                    }
                }
            }
            if wrapped > 0 {
                Terminal.finish()
                Terminal.say("skan: \(wrapped) bodies have newlines and were written as {\"body\": …}")
            }
        }
    }
}
