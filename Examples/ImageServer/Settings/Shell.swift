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

    /// How a shell offers the value of an option; `nil` for one that it cannot guess.
    private func offer(_ setting: Setting, files: String, folders: String, words: (String) -> String) -> String? {
        switch setting.placeholder {
        case "FILE", "PATH": files
        case "DIR": folders
        case let list? where list.contains("|"): words(list.replacing("|", with: " "))
        default: nil
        }
    }

    private var bash: String {
        let cases = Setting.everything.filter { $0.placeholder != nil }.map { setting in
            let reply =
                offer(setting, files: "-f", folders: "-d", words: { "-W \"\($0)\"" })
                .map { "COMPREPLY=($(compgen \($0) -- \"$word\")); " } ?? ""
            return "        \(setting.flag)) \(reply)return ;;"
        }
        return """
            # bash completion for image-server: source <(image-server --completions bash)
            _image_server() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                # bash takes --errors=picture for three words.
                if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
                case $before in
            \(cases.joined(separator: "\n"))
                esac
                local words=sign
                [[ $word == -* ]] && words="\(Setting.everything.map(\.flag).joined(separator: " "))"
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o filenames -F _image_server image-server
            """
    }

    private var zsh: String {
        let lines = Setting.everything.map { setting in
            let help = setting.help.quotedForZsh("[]:\\")
            guard let value = setting.placeholder else { return "    \(setting.flag)'[\(help)]'" }
            let offer = offer(setting, files: "_files", folders: "_files -/", words: { "(\($0))" }) ?? " "
            return "    \(setting.flag)='[\(help)]:\(value.quotedForZsh(":")):\(offer)'"
        }
        return """
            #compdef image-server
            # zsh completion for image-server: image-server --completions zsh > "${fpath[1]}/_image-server"
            _arguments \\
            \((lines + ["    '1:command:(sign)'", "    '*: : '"]).joined(separator: " \\\n"))
            """
    }

    private var fish: String {
        let lines = Setting.everything.map { setting in
            let offer = offer(
                setting, files: " -r -F", folders: " -x -a '(__fish_complete_directories)'", words: { " -x -a '\($0)'" }
            )
            let value = setting.placeholder == nil ? "" : offer ?? " -x"
            let help = setting.help.quotedForFish
            return "complete -c image-server -l \(setting.name)\(value) -d '\(help)'"
        }
        let head = [
            "# fish completion for image-server: image-server --completions fish | source",
            "complete -c image-server -f",
            "complete -c image-server -n __fish_use_subcommand -a sign -d 'print an address'",
        ]
        return (head + lines).joined(separator: "\n")
    }
}
