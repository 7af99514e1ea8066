/** Completion for fish 3 and newer. */

import { type Candidate, knownPaths, type Place, places } from './candidates.js';
import type { CommandNode } from './command-tree.js';

export function fishScript(root: CommandNode): string {
  return `# Completes isccd in fish; printed by: isccd completion fish
function __isccd_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case ${knownPaths(root).map(quoted).join(' ')}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c isccd -e
${places(root).flatMap(lines).join('\n')}
`;
}

function lines({ at, words, options, values, openFlags, takesFiles }: Place): string[] {
  const here = `complete -c isccd -n ${quoted(`__isccd_at '${at}'`)}`;
  return [
    ...(takesFiles ? [] : [`${here} -f`]),
    ...words.map(({ word, about }) => `${here} -a ${quoted(word)}${aboutOf(about)}`),
    ...options.map((option) => `${here} ${flagOf(option, values, openFlags)}${aboutOf(option.about)}`),
  ];
}

function flagOf({ word }: Candidate, values: Place['values'], openFlags: Place['openFlags']): string {
  const flag = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
  const choices = values.find((value) => value.flag === word)?.choices;
  if (choices !== undefined) return `${flag} -x -a ${quoted(choices.join(' '))}`;
  return openFlags.includes(word) ? `${flag} -r` : flag;
}

function aboutOf(about: string): string {
  return about === '' ? '' : ` -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
