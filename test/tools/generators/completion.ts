import type { Command } from 'commander';
import { commandTree } from './command-tree.ts';

type Place = { readonly path: string; readonly words: readonly string[]; readonly valued: readonly string[] };

/** What can stand after each command: its subcommands and options, and the options that take a value. */
function places(command: Command, path = ''): Place[] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const flags = shown.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
  const valued = shown.filter((option) => option.required).map(({ long }) => long ?? '');
  const words = [...command.commands.map((sub) => sub.name()), ...flags, '--help'];
  return [
    { path, words, valued },
    ...command.commands.flatMap((sub) => places(sub, `${path}/${sub.name()}`)),
  ];
}

/** A completion for bash. Where it knows nothing, such as after an option with a value, bash completes file names. */
export function bashCompletion(): string {
  const all = places(commandTree());
  const valued = [...new Set(all.flatMap((place) => place.valued))];
  return `# Completion of pbx-bridge for bash, made from the program's own commands: npm run generate.
_pbx_bridge() {
  local word path= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $path/$word in
      ${all
        .slice(1)
        .map(({ path }) => path)
        .join(' | ')})
        path=$path/$word ;;
    esac
  done
  case \${COMP_WORDS[COMP_CWORD - 1]} in
    ${valued.join(' | ')})
      return ;;
  esac
  case $path in
${all.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pbx_bridge pbx-bridge
`;
}
