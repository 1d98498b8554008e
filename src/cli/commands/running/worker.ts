import { CadreError } from '../../../core/error.ts';
import type { RestateWorkerOptions } from '../../../restate/restate-runtime.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openTeams, type TeamsOptions } from '../../options/open-teams.ts';
import { type RestateFlags, restateOf } from '../../options/restate-option.ts';
import { shownStore } from '../../options/store-path.ts';
import { Interruption } from '../../terminal/interruption.ts';

/** Options of `worker`. */
export interface WorkerCommandOptions extends TeamsOptions, RestateFlags {
  readonly host?: string;
  readonly port?: number;
  readonly address?: string;
  readonly sharePort?: boolean;
  readonly adopt?: boolean;
  /** Seconds for running tools to end after a signal. */
  readonly grace?: number;
}

/** Environment variable with the public keys of a Restate that signs its requests, separated by commas. */
const keysVariable = 'CADRE_RESTATE_KEYS';

/** Works on the runs of a journal until a signal asks to stop: then takes no new work, and ends or leaves what it has. */
export async function workerCommand(options: WorkerCommandOptions): Promise<ExitCode> {
  const tell = (text: string): void => void process.stderr.write(text);
  using interruption = new Interruption();
  interruption.exitMessage = 'Stopped immediately; other workers go on with its runs.\n';
  const runtime = await restateOf(options, workerOptions(options));
  if (runtime === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      'a worker works for a Restate: name its ingress with --restate URL, and a journal with --store postgres://…',
    );
  await using teams = await openTeams(options, { command: 'worker', runtime });
  const worker = await teams.engine.work();
  tell(
    `Working on the runs of ${shownStore(options.store)} for Restate at ${runtime.location}, reached at ${worker.address} (Ctrl-C or SIGTERM drains it).\n`,
  );
  await interruption.asked;
  tell('Draining: no new work; running tools may end.\n');
  await teams.engine.close({ graceMs: 1_000 * (options.grace ?? 30) });
  return 0;
}

function workerOptions({ host, port, address, sharePort, adopt }: WorkerCommandOptions): RestateWorkerOptions {
  const keys = process.env[keysVariable]?.split(',').map((key) => key.trim());
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(address === undefined ? {} : { address }),
    ...(sharePort === undefined ? {} : { sharePort }),
    ...(adopt === undefined ? {} : { adopt }),
    ...(keys === undefined ? {} : { identityKeys: keys }),
  };
}
