import Foundation

/// From a dictionary of tasks to `InFlight` in six lessons.
///
/// Each lesson is a file beside this one: a whole table, which mends one fault of the table before. To read a lesson,
/// compare the two files.
@main
enum Lessons {
    static func main() {
        do {
            run(try Options(parsing: Array(CommandLine.arguments.dropFirst())))
        } catch {
            FileHandle.standardError.write(Data("lessons: \(error.message)\n\n\(Options.usage)\n".utf8))
            exit(EX_USAGE)
        }
    }

    private static func run(_ options: Options) {
        if options.wantsHelp { return print(Options.usage) }
        guard let number = options.lesson else { return show(Lesson.all) }
        let lesson = Lesson.all[number - 1]
        guard let seed = options.seed else { return show([lesson]) }
        for line in Report.replay(of: lesson, seed: seed) { print(line) }
    }

    private static func show(_ lessons: [Lesson]) {
        let steps = Step.all + [.inFlight]
        let costs = Cost.measure([Cost.bareTask] + steps.map { step in { Cost.load(through: step, on: $0) } })
        let bare = costs[0]
        #if DEBUG
        print("A debug build; its figures say little: swift run -c release lessons\n")
        #endif
        for lesson in lessons {
            let (before, after) = (costs[lesson.number], costs[lesson.number + 1])
            for line in Report.summary(of: lesson, costs: (bare, before, after)) { print(line) }
            print("")
        }
        print(Report.destination(costs[steps.count], bare: bare))
    }
}
