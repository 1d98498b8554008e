import { signal } from '@preact/signals';
import { getJson } from './api.ts';

/** Properties and permissions of the server. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  /** True when the page may launch, steer and end runs. */
  readonly canControl: boolean;
  /** Who the server takes the page's user for, and what they may do. */
  readonly you?: { readonly name: string; readonly role: string };
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
