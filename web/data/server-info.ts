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
}

/** What the server says of itself; undefined before it did, and in a file. */
export const serverInfo = signal<ServerInfo | undefined>(undefined);

/** Asks the server what it is. Fails like every request. */
export async function loadServerInfo(): Promise<void> {
  serverInfo.value = await getJson<ServerInfo>('/api/info');
}
