import ArgumentParser
import Attribution
import AttributionReports

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Check, explain and compare what conversion values mean.",
        discussion: """
            A schema says what an app's fine and coarse values mean from one day to another: events, and revenue in one \
            currency. skan report revenue and skan serve read the same files.

            EXAMPLES
              skan schema check schemas.json
              skan schema explain schemas.json --app 525463029 --value 37
              skan schema diff schemas.json new-schemas.json
            """,
        subcommands: [Check.self, Explain.self, Diff.self]
    )
}

extension ConversionSchemas {
    /// Reads files, and says everything that is wrong with them.
    ///
    /// - Throws: ``ExitStatus/undecided`` after all problems were printed.
    static func reading(_ files: [String]) throws -> ConversionSchemas {
        do throws(InvalidDocuments) {
            return try ConversionSchemas(files: files)
        } catch {
            error.sayAll()
            throw ExitStatus.undecided
        }
    }
}

extension CampaignMap {
    /// Reads files, and says everything that is wrong with them.
    ///
    /// - Throws: ``ExitStatus/undecided`` after all problems were printed.
    static func reading(_ files: [String]) throws -> CampaignMap {
        do throws(InvalidDocuments) {
            return try CampaignMap(files: files)
        } catch {
            error.sayAll()
            throw ExitStatus.undecided
        }
    }
}

extension InvalidDocuments {
    /// Prints each problem with its cure.
    func sayAll() {
        for problem in problems {
            CommandFailure(problem.message, code: problem.code, hint: problem.hint).say()
        }
    }
}
