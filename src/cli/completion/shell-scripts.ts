/** Shells for which there is a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

// Each passes the words up to the cursor to `cadre complete`, which prints a candidate and its description per line.
const bash = `# Completion of cadre for bash. Add to ~/.bashrc:  eval "$(cadre completion bash)"
_cadre_complete() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    # Quoted: names come from files of the project, and bash inserts them as they are.
    printf -v word %q "\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(cadre complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _cadre_complete cadre
`;

const zsh = `#compdef cadre
# Completion of cadre for zsh. Add to ~/.zshrc, after compinit:  eval "$(cadre completion zsh)"
_cadre_complete() {
  local line word
  local -a described
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    described+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
  done < <(cadre complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#described} )); then _describe cadre described; else _files; fi
}
compdef _cadre_complete cadre
`;

const fish = `# Completion of cadre for fish. Write to ~/.config/fish/completions/cadre.fish:  cadre completion fish > …
complete -c cadre -a '(cadre complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

/** The script that teaches a shell to complete words of `cadre`. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
