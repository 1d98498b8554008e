import { CadreError } from '../../core/error.ts';
import { findProgram } from './find-program.ts';

/** Command line that sets variables for its command alone, and the environment that carries their values to it. */
export interface InsideCommand {
  readonly argv: readonly [string, ...string[]];
  /** Values under neutral names, which no program acts on. */
  readonly carried: Readonly<Record<CarriedName, string>>;
}

/** Name under which the value of a variable travels through the programs outside a sandbox. */
export type CarriedName = `CADRE_INSIDE_${number}`;

/** Names that a shell cannot set, or checks: the program `env` sets them. */
const ofShell =
  /^(?:BASH(?!_ENV$)\w*|SHELLOPTS|E?UID|PPID|GROUPS|FUNCNAME|DIRSTACK|PIPESTATUS|S?RANDOM|SECONDS|LINENO|EPOCH\w*|OPT\w+|_)$/;
const plainName = /^[A-Za-z_]\w*$/;

/**
 * Returns a command line that sets variables and then becomes the command: the programs that lead to the command, which run outside the
 * sandbox or set limits, never see the variables. The values are not part of the command line, which other users of the machine can read.
 *
 * @throws CadreError `OPTION_INVALID` for a name that no environment can hold
 */
export function setInside(argv: readonly [string, ...string[]], variables: Readonly<Record<string, string>>): InsideCommand {
  const entries = Object.entries(variables).map(([name, value], index) => {
    if (name === '' || /[=\0]/.test(name) || value.includes('\0'))
      throw new CadreError(
        'OPTION_INVALID',
        `env: ${JSON.stringify(name)} cannot be set; a name has at least one character, and neither name nor value contains NUL (nor the name an =).`,
      );
    return { name, value, carrier: `CADRE_INSIDE_${index}` as const };
  });
  const isExported = (name: string): boolean => plainName.test(name) && !ofShell.test(name);
  const exported = entries.filter(({ name }) => isExported(name));
  const others = entries.filter(({ name }) => !isExported(name));
  const script = [
    ...exported.map(({ name, carrier }) => `export ${name}="$${carrier}"; unset ${carrier}`),
    others.length === 0
      ? 'exec "$@"'
      : `exec ${[quote(findProgram('env', { in: 'system' }).path), ...others.map(({ carrier }) => `-u ${carrier}`), ...others.map(settingByEnv)].join(' ')} "$@"`,
  ];
  return {
    argv: [findProgram('sh', { in: 'system' }).path, '-c', script.join('\n'), 'cadre', ...argv],
    carried: Object.fromEntries(entries.map(({ carrier, value }) => [carrier, value])),
  };
}

function settingByEnv({ name, carrier }: { readonly name: string; readonly carrier: CarriedName }): string {
  return `${quote(`${name}=`)}"$${carrier}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
