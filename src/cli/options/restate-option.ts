import { type Command, Option } from 'commander';
import { CadreError } from '../../core/error.ts';
import type { Runtime } from '../../core/runtime.ts';
import type { RestateWorkerOptions } from '../../restate/restate-runtime.ts';
import { isServerStore } from './server-store.ts';

/** Options that name a Restate. */
export interface RestateFlags {
  readonly restate?: string;
  readonly restateAdmin?: string;
  readonly restateName?: string;
}

/** Environment variable with the token for Restate. */
const tokenVariable = 'CADRE_RESTATE_TOKEN';

/** Adds the options that name a Restate. */
export function withRestate(command: Command): Command {
  return command
    .option('--restate <url>', 'run on workers, by Restate: the URL of its ingress, such as http://127.0.0.1:8080')
    .addOption(new Option('--restate-admin <url>', "the URL of Restate's admin API (default: the host of --restate, port 9070)"))
    .addOption(
      new Option(
        '--restate-name <name>',
        'begins the names of the services in Restate; another one for each journal (default: cadre)',
      ),
    );
}

/** Opens the runtime that the options name; undefined when they name none. Throws OPTION_INVALID for a journal that workers cannot reach. */
export async function restateOf(
  { restate, restateAdmin, restateName, store }: RestateFlags & { readonly store?: string | undefined },
  worker?: RestateWorkerOptions,
): Promise<Runtime | undefined> {
  if (restate === undefined) return undefined;
  if (!isServerStore(store))
    throw new CadreError('OPTION_INVALID', '--restate needs a journal that all workers reach: name one with --store postgres://…');
  const { restateRuntime } = await import('../../restate/restate-runtime.ts');
  const token = process.env[tokenVariable];
  return restateRuntime({
    ingress: restate,
    ...(restateAdmin === undefined ? {} : { admin: restateAdmin }),
    ...(restateName === undefined ? {} : { name: restateName }),
    ...(token === undefined ? {} : { token }),
    ...(worker === undefined ? {} : { worker }),
  });
}
