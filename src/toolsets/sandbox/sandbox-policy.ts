import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import { allowWritesSetting } from '../../files/guard/allowed-writes.ts';
import { unreadableInSandbox, unreadableOf, type Unreadable } from '../../files/guard/unreadable.ts';
import type { SandboxUse } from '../../core/tool/wait-for.ts';

/** Access of a sandboxed process beyond its workspace. */
export interface SandboxPolicy {
  /** `none`, `all`, or the domains that may be reached through a proxy (`example.com`, `*.example.com`). */
  readonly network: 'none' | 'all' | readonly string[];
  /** Folders and files in hidden places (homes, other temporary files) that may still be read. */
  readonly read: readonly string[];
  /** Folders and files outside the workspace that may be written. */
  readonly write: readonly string[];
  /** Globs of auto-run files in the workspace that may be written; none when absent. */
  readonly allowWrites?: readonly string[];
  /** Files of the workspace that it cannot see; the files with secrets when absent. */
  readonly unreadable?: Unreadable;
}

/** Pattern of a domain or an address, optionally with all subdomains, optionally with a port. */
const domain = '^(\\*\\.)?([A-Za-z0-9_-]+\\.)+[A-Za-z0-9-]+(:[0-9]{1,5})?$|^\\[[0-9A-Fa-f:.]+\\](:[0-9]{1,5})?$';

/** Settings of every sandboxed toolset. A launch request cannot widen them (`x-request`). */
export const sandboxSettings: Readonly<Record<string, JsonSchema>> = {
  sandbox: {
    'x-request': false,
    type: 'boolean',
    description: 'Whether it runs in a sandbox (default true). false: it may do whatever the engine itself may do.',
  },
  network: {
    'x-request': false,
    description: 'What the sandbox reaches: none (default), all, or a list of domains like example.com and *.example.com.',
    anyOf: [{ enum: ['none', 'all'] }, { type: 'array', items: { type: 'string', pattern: domain }, maxItems: 200 }],
  },
  read: paths('Folders and files in hidden places (homes) that may still be read; ~ is the home.'),
  write: paths('Folders and files outside the workspace that may be written; ~ is the home.'),
  allow_writes: allowWritesSetting,
  unreadable: unreadableInSandbox,
};

function paths(description: string): JsonSchema {
  return { 'x-request': false, description, type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 100 };
}

/** Returns the sandbox policy of settings; undefined for `sandbox: false`. `others`: globs that other toolsets do not read. */
export function toSandboxPolicy(settings: JsonObject, others: readonly string[] = []): SandboxPolicy | undefined {
  if (settings['sandbox'] === false) return undefined;
  const network = settings['network'];
  return {
    network: network === 'all' ? 'all' : Array.isArray(network) ? texts(network) : 'none',
    read: texts(settings['read']),
    write: texts(settings['write']),
    allowWrites: texts(settings['allow_writes']),
    unreadable: unreadableOf({ settings, unreadable: others }),
  };
}

/** Returns whether programs run in the sandbox, for people who approve a call. */
export function sandboxUse(policy: SandboxPolicy | undefined): SandboxUse {
  return policy === undefined ? 'off' : 'on';
}

/** Describes the access that a sandbox grants, for a person who must agree to it. */
export function sandboxWords(policy: SandboxPolicy | undefined): string {
  if (policy === undefined) return 'outside the sandbox, with all rights of this program';
  const { network, read, write } = policy;
  const reached = network === 'none' ? [] : [`network: ${network === 'all' ? 'all' : network.join(', ')}`];
  const extras = [
    ...reached,
    ...(read.length === 0 ? [] : [`reads ${read.join(', ')}`]),
    ...(write.length === 0 ? [] : [`writes ${write.join(', ')}`]),
  ];
  return `in the sandbox${extras.length === 0 ? '' : `; ${extras.join('; ')}`}`;
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
