import { signal } from '@preact/signals';
import { getJson } from './api.ts';

/** What the server is and may do. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  /** Runs may be started, steered and ended from here. */
  readonly canControl: boolean;
  readonly profiles: readonly { readonly name: string; readonly type: string; readonly description?: string }[];
  readonly defaultProfile?: string;
  /** Profile files on disk that differ from those that new runs use. */
  readonly changedProfiles?: readonly string[];
}

/** What the server says of itself; undefined before it did, and in a file. */
export const serverInfo = signal<ServerInfo | undefined>(undefined);

/** How often the server is asked again while the page is looked at, in milliseconds. */
const pause = 10_000;

/** Asks the server again from time to time, once it has answered: its profiles may change on disk. The returned function ends that. */
export function keepServerInfo(): () => void {
  const timer = setInterval(() => {
    // A server that does not answer is said to be lost where runs are shown.
    if (serverInfo.peek() !== undefined && !document.hidden) loadServerInfo().catch(() => undefined);
  }, pause);
  return () => clearInterval(timer);
}

/** Asks the server what it is. Fails like every request. */
export async function loadServerInfo(): Promise<void> {
  serverInfo.value = await getJson<ServerInfo>('/api/info');
}
