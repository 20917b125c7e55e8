/** `lockstep completion`: the scripts that make shells ask `lockstep __complete` for what may follow. */
import { Argument, Command } from "commander";
import type { Io } from "./io.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export function completionCommand(io: Io): Command {
  return new Command("completion")
    .summary("print the completion script of a shell")
    .description("Print a script that completes commands, flags, kinds and the names of objects.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      "\nExamples:\n  source <(lockstep completion bash)" +
        '\n  lockstep completion zsh > "${fpath[1]}/_lockstep"' +
        "\n  lockstep completion fish > ~/.config/fish/completions/lockstep.fish",
    )
    .action((shell: (typeof shells)[number]) => io.print(scripts[shell]));
}

const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_lockstep() {
  local words
  words=$(lockstep __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${COMPREPLY[0]-} == */ ]] && compopt -o nospace
}
complete -F _lockstep lockstep`,
  zsh: `#compdef lockstep
_lockstep() {
  local -a found
  found=(\${(f)"$(lockstep __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -Q -S '' -- \${(M)found:#*/}
  compadd -Q -- \${found:#*/}
}
# In a folder of functions it is loaded by the first completion, which it has to answer too.
if [[ "\${funcstack[1]}" == _lockstep ]]; then _lockstep "$@"; else compdef _lockstep lockstep; fi`,
  fish: `function __lockstep_complete
  set -l words (commandline -opc)[2..] (commandline -ct)
  lockstep __complete -- $words 2>/dev/null
end
complete -c lockstep -f -a '(__lockstep_complete)'`,
};
