import { signal } from '@preact/signals';
import { includesRole, type Person, type Role } from '../../src/core/roles.ts';
import { getJson } from './api.ts';

/** Properties and permissions of the server. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  /** True when the page may launch, steer and end runs. */
  readonly canControl: boolean;
  /** The person who looks at this page, as the server knows them. */
  readonly you: Person;
  /** True when the server runs the tests of its profiles. */
  readonly canTest: boolean;
  readonly profiles: readonly { readonly name: string; readonly type: string; readonly description?: string }[];
  readonly llmConfigs: readonly string[];
  readonly defaultProfile?: string;
  /** Profile files on disk that differ from those that new runs use. */
  readonly changedProfiles?: readonly string[];
  /** Why those files could not be loaded. */
  readonly profileProblem?: string;
}

/** Latest info of the server; undefined before its first answer, and in a file. */
export const serverInfo = signal<ServerInfo | undefined>(undefined);

/** Returns why the person's role does not allow something, for titles; undefined when it does. The server refuses it anyway. */
export function missingRole(needed: Role): string | undefined {
  const you = serverInfo.value?.you;
  if (you === undefined || includesRole(you.role, needed)) return undefined;
  return `You are ${you.name}, with the role ${you.role}; this needs the role ${needed}.`;
}

/** Milliseconds between requests for the info while the page is visible. */
const pause = 10_000;

/** Requests the info at intervals after its first answer, since profiles may change on disk. The returned function stops that. */
export function keepServerInfo(): () => void {
  const timer = setInterval(() => {
    // Pages of runs show a lost connection.
    if (serverInfo.peek() !== undefined && !document.hidden) loadServerInfo().catch(() => undefined);
  }, pause);
  return () => clearInterval(timer);
}

/** Loads the server's info. Fails like every request. */
export async function loadServerInfo(): Promise<void> {
  serverInfo.value = await getJson<ServerInfo>('/api/info');
}
