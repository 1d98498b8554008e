/** Process and host that an owner string names, for people to read. */
export interface LeaseOwner {
  readonly pid: number;
  readonly host: string;
}

/** Parses an owner of the form `<pid>@<host>#<nonce>`; undefined when it has another form. */
export function parseOwner(owner: string): LeaseOwner | undefined {
  const match = /^([1-9]\d{0,9})@([^#\s]{1,255})#(\S{1,100})$/.exec(owner);
  const [, pid, host] = match ?? [];
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host };
}

/** Begins the names of holders that are several engines of one runtime. */
export const sharedPrefix = 'runtime ';

/** Says how to steer a run that the engines of a runtime hold: they are no process that could be ended. */
export const steerAtRuntime = 'its workers advance it: name their Restate with --restate URL';
