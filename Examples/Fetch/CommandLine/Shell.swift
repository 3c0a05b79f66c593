// SPDX-License-Identifier: MIT
/// The shells that there are completions for.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var completions: String {
        switch self {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// What follows `--resize` and the like is offered by the value's kind; everything else is an option or a
    /// file.
    private var bash: String {
        let cases = Option.table.compactMap { option in
            option.value.map { value in
                let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
                let reply =
                    switch value.kind {
                    case .text: ":"
                    case .file: #"COMPREPLY=($(compgen -f -- "$word"))"#
                    case .folder: #"COMPREPLY=($(compgen -d -- "$word"))"#
                    case .words(let words): #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$word"))"#
                    }
                return "        \(names.joined(separator: "|"))) \(reply); return ;;"
            }
        }
        let words = Option.table.flatMap { ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? []) }
        return """
            # bash completion for fetch: source <(fetch --completions bash)
            _fetch() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                # bash takes --format=webp for three words.
                if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
                case $before in
            \(cases.joined(separator: "\n"))
                esac
                if [[ $word != -* ]]; then COMPREPLY=($(compgen -f -- "$word")); return; fi
                COMPREPLY=($(compgen -W "\(words.joined(separator: " "))" -- "$word"))
            }
            complete -o filenames -F _fetch fetch
            """
    }

    private var zsh: String {
        let lines = Option.table.map { option in
            let name = "--\(option.name)" + (option.value == nil ? "" : "=")
            let names = option.letter.map { "'(-\($0) --\(option.name))'{-\($0),\(name)}" } ?? name
            let action =
                option.value.map { value in
                    let offer =
                        switch value.kind {
                        case .text: " "
                        case .file: "_files"
                        case .folder: "_files -/"
                        case .words(let words): "(\(words.joined(separator: " ")))"
                        }
                    return ":\(value.name.quotedForZsh(":")):\(offer)"
                } ?? ""
            return "    \(names)'[\(option.help.quotedForZsh("[]:"))]\(action)'"
        }
        return """
            #compdef fetch
            # zsh completion for fetch: fetch --completions zsh > "${fpath[1]}/_fetch"
            _arguments -s \\
            \((lines + ["    '*:picture:_files'"]).joined(separator: " \\\n"))
            """
    }

    private var fish: String {
        let lines = Option.table.map { option in
            let letter = option.letter.map { " -s \($0)" } ?? ""
            let value =
                option.value.map { value in
                    switch value.kind {
                    case .text: " -x"
                    case .file: " -r -F"
                    case .folder: " -x -a '(__fish_complete_directories)'"
                    case .words(let words): " -x -a '\(words.joined(separator: " "))'"
                    }
                } ?? ""
            return "complete -c fetch\(letter) -l \(option.name)\(value) -d '\(option.help.quotedForFish)'"
        }
        return (["# fish completion for fetch: fetch --completions fish | source"] + lines)
            .joined(separator: "\n")
    }
}
