import { CadreError } from '../core/error.ts';

/** Options of `restateRuntime`. */
export interface RestateOptions {
  /** URL of Restate's ingress, which takes inputs: `http://127.0.0.1:8080`. */
  readonly ingress: string;
  /** URL of Restate's admin API, where workers register; by default the host of the ingress with port 9070. */
  readonly admin?: string;
  /** Begins the names of the services in Restate; another one for each journal. `cadre` by default. */
  readonly name?: string;
  /** Token for ingress and admin API (`Authorization: Bearer …`). */
  readonly token?: string;
  /** Settings of `engine.work()`. */
  readonly worker?: RestateWorkerOptions;
}

/** How a worker is reached by Restate. */
export interface RestateWorkerOptions {
  /** Address and port to listen on: `127.0.0.1`, and 9080. Port 0 is any free one. */
  readonly host?: string;
  readonly port?: number;
  /** URL under which Restate reaches all workers, such as that of a load balancer; by default that of this one. */
  readonly address?: string;
  /** Lets several workers of one machine listen on one port. */
  readonly sharePort?: boolean;
  /** Public keys of a Restate that signs its requests (`publickeyv1_…`); others are refused. */
  readonly identityKeys?: readonly string[];
  /** Lets the journal belong to this Restate from now on, instead of another one that is gone. */
  readonly adopt?: boolean;
}

/** Checked options, with the defaults. */
export interface RestatePlace {
  readonly ingress: string;
  readonly admin: string;
  readonly name: string;
  readonly token: string | undefined;
  readonly worker: RestateWorkerOptions;
}

const known: Readonly<Record<keyof RestateOptions, true>> = { ingress: true, admin: true, name: true, token: true, worker: true };

/** Checks the options. Throws OPTION_INVALID. */
export function restatePlace(options: RestateOptions): RestatePlace {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key));
  if (unknown !== undefined) throw invalid(`there is no option '${unknown}'; allowed: ${Object.keys(known).join(', ')}`);
  const ingress = urlOf('ingress', options.ingress);
  const admin = options.admin === undefined ? adminBeside(ingress) : urlOf('admin', options.admin);
  const { name = 'cadre', token, worker = {} } = options;
  if (!/^[A-Za-z][A-Za-z0-9_]{0,40}$/.test(name))
    throw invalid(`name must begin with a letter and have only letters, digits and _, not ${JSON.stringify(name)}`);
  const { port } = worker;
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65_535))
    throw invalid(`worker.port must be a whole number from 0 (any port that is free) to 65535, not ${port}`);
  if (worker.address !== undefined) urlOf('worker.address', worker.address);
  return { ingress, admin, name, token, worker };
}

function urlOf(option: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url.href.replace(/\/$/, '');
  throw invalid(`${option} must be a URL such as http://127.0.0.1:8080, not ${JSON.stringify(value)}`);
}

function adminBeside(ingress: string): string {
  const url = new URL(ingress);
  url.port = '9070';
  return url.origin;
}

function invalid(problem: string): CadreError {
  return new CadreError('OPTION_INVALID', `restateRuntime: ${problem}`);
}
