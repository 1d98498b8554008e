import { userInfo } from 'node:os';
import { localActor } from '../../core/by.ts';
import type { Person } from '../../core/roles.ts';

/** Returns what is recorded for what the user of this machine does in a terminal. */
export function terminalBy(): { readonly by: string } {
  return { by: localActor(userName(), 'terminal') };
}

/** Returns the person behind an MCP client that this machine's user starts. */
export function clientPerson(): Person {
  return { name: localActor(userName(), 'mcp'), role: 'operate' };
}

/** Returns the name of this process's user, as the system knows it; a user without a name has a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
