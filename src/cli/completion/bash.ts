/** Completion for bash 4 and newer. */

import { knownPaths, type Place, places } from './candidates.js';
import type { CommandNode } from './command-tree.js';

export function bashScript(root: CommandNode): string {
  return `# Completes isccd in bash; printed by: isccd completion bash
_isccd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local at='' words='' options='' files='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${knownPaths(root).join(' | ')}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${places(root).flatMap(valueCases).join('')}  esac
  case "$at" in
${places(root).map(placeCase).join('')}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  elif [[ -n $files ]]; then
    compopt -o default 2> /dev/null
  fi
}
complete -F _isccd isccd
`;
}

function valueCases({ at, values, openFlags }: Place): string[] {
  return [
    ...values.map(
      ({ flag, choices }) =>
        `    '${at} ${flag}') COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return ;;\n`,
    ),
    ...openFlags.map((flag) => `    '${at} ${flag}') compopt -o default 2> /dev/null; return ;;\n`),
  ];
}

function placeCase({ at, words, options, takesFiles }: Place): string {
  const list = (candidates: Place['words']) => candidates.map(({ word }) => word).join(' ');
  const files = takesFiles ? ' files=yes' : '';
  return `    '${at}') words='${list(words)}' options='${list(options)}'${files} ;;\n`;
}
