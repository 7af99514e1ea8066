/** Completion for zsh, to be sourced or to be put into a folder of `$fpath` as `_isccd`. */

import { type Candidate, knownPaths, type Place, places } from './candidates.js';
import type { CommandNode } from './command-tree.js';

export function zshScript(root: CommandNode): string {
  return `#compdef isccd
# Completes isccd in zsh; printed by: isccd completion zsh
_isccd() {
  local at='' files='' i
  local -a candidates options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/$words[i]" in
      ${knownPaths(root).join(' | ')}) at="$at/$words[i]" ;;
    esac
  done
  case "$at $words[CURRENT - 1]" in
${places(root).flatMap(valueCases).join('')}  esac
  case "$at" in
${places(root).map(placeCase).join('')}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (( $#candidates )); then
    _describe command candidates
  elif [[ -n $files ]]; then
    _files
  fi
}
if [[ $funcstack[1] == _isccd ]]; then
  _isccd "$@"
else
  compdef _isccd isccd
fi
`;
}

function valueCases({ at, values, openFlags }: Place): string[] {
  return [
    ...values.map(({ flag, choices }) => `    '${at} ${flag}') compadd ${choices.join(' ')}; return ;;\n`),
    ...openFlags.map((flag) => `    '${at} ${flag}') _files; return ;;\n`),
  ];
}

function placeCase({ at, words, options, takesFiles }: Place): string {
  const list = (candidates: readonly Candidate[]) => candidates.map(described).join(' ');
  const files = takesFiles ? ' files=yes' : '';
  return `    '${at}') candidates=(${list(words)}) options=(${list(options)})${files} ;;\n`;
}

/** A colon parts the word from what it means. */
function described({ word, about }: Candidate): string {
  const text = about === '' ? word.replaceAll(':', '\\:') : `${word.replaceAll(':', '\\:')}:${about}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
