/// Compares what a target has with what was copied into it, run by run, in ascending order of the target's ids.
struct CopyCheck {
    private var runs: ArraySlice<CopiedRun>
    private var sum = CopyChecksum()
    /// Of the first of ``runs``: how many were read, and of how many the bytes were dropped.
    private var (read, dropped): (Int64, Int64) = (0, 0)
    /// How many postbacks were read in all.
    private(set) var allRead: Int64 = 0
    /// How many more are there whose bytes were dropped since.
    private(set) var allDropped: Int64 = 0
    /// Whether something is not there, or not as it was copied.
    private(set) var isDifferent = false

    /// Takes what was copied.
    init(_ runs: [CopiedRun]) {
        self.runs = runs.filter(\.isNew).sorted { $0.target < $1.target }[...]
    }

    /// The id at which to go on reading; nil when everything was compared.
    var next: Int64? {
        runs.first?.target
    }

    /// Compares a postback, if it is one that was copied.
    ///
    /// - Parameters:
    ///   - postback: Of the target.
    ///   - isDropped: Whether its bytes, which are not there, were dropped on purpose.
    mutating func take(_ postback: RecordedPostback, isDropped: () throws -> Bool) rethrows {
        endRuns(before: postback.id)
        guard let run = runs.first, postback.id >= run.target else {
            return
        }
        if postback.body != nil {
            sum.add(postback)
            read += 1
        } else if try isDropped() {
            dropped += 1
        }
    }

    /// Ends the runs that hold no id from `id` on.
    mutating func endRuns(before id: Int64) {
        while let run = runs.first, run.target + run.count <= id {
            // What is left of a run whose bytes were dropped in part has no sum of its own.
            if read + dropped != run.count || dropped == 0 && sum != run.checksum ?? sum {
                isDifferent = true
            }
            allRead += read
            allDropped += dropped
            (sum, read, dropped) = (CopyChecksum(), 0, 0)
            runs.removeFirst()
        }
    }
}
