import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import { allowWritesSetting } from '../files/guard/allowed-writes.ts';
import { unreadableInSandbox, unreadableOf, type Unreadable } from '../files/guard/unreadable.ts';
import type { SandboxUse } from '../../core/tool/wait-for.ts';

/** What a sandboxed process may reach besides its workspace. */
export interface SandboxPolicy {
  /** `none`, `all`, or the domains that may be reached by way of a proxy (`example.com`, `*.example.com`). */
  readonly network: 'none' | 'all' | readonly string[];
  /** Folders and files of hidden places (homes, other temporary files) that may be read all the same. */
  readonly read: readonly string[];
  /** Folders and files outside the workspace that may be written. */
  readonly write: readonly string[];
  /** Globs of paths in the workspace that may be written although they make other programs run something; none when absent. */
  readonly allowWrites?: readonly string[];
  /** What of the workspace it does not see; the files that hold secrets when absent. */
  readonly unreadable?: Unreadable;
}

/** A domain or an address, perhaps with everything below it, perhaps with a port. */
const domain = '^(\\*\\.)?([A-Za-z0-9_-]+\\.)+[A-Za-z0-9-]+(:[0-9]{1,5})?$|^\\[[0-9A-Fa-f:.]+\\](:[0-9]{1,5})?$';

/** The settings every sandboxed toolset has. Whoever launches a run does not widen them: no value of a request gets in (`x-request`). */
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
  read: paths('Folders and files in hidden places (homes) that may be read all the same; ~ is the home.'),
  write: paths('Folders and files outside the workspace that may be written; ~ is the home.'),
  allow_writes: allowWritesSetting,
  unreadable: unreadableInSandbox,
};

function paths(description: string): JsonSchema {
  return { 'x-request': false, description, type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 100 };
}

/** The sandbox that settings ask for; undefined when they say `sandbox: false`. `others`: what other toolsets do not read. */
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

/** Says whether programs run in the sandbox, for people who are asked whether a call may run. */
export function sandboxUse(policy: SandboxPolicy | undefined): SandboxUse {
  return policy === undefined ? 'off' : 'on';
}

/** What a sandbox lets programs do, in words for a person who has to agree to it. */
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
