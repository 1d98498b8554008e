import type { JsonSchema } from '../../core/json.ts';
import { sandboxSettings, type SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { durationSetting } from '../settings.ts';

const effect: JsonSchema = {
  enum: ['pure', 'idempotent', 'unsafe'],
  description: 'What recovery may assume about repeating a call.',
};
const chars: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 10_000_000,
  description: 'Longest result that reaches the model, in characters.',
};
const approval: JsonSchema = {
  type: 'boolean',
  description: 'Whether a person must approve each call, unless a gate covers it.',
};

function texts(description: string): JsonSchema {
  return { type: 'object', additionalProperties: { type: 'string' }, description };
}

/** Schema of the settings for one of a server's tools. */
const toolSettings: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    enabled: { type: 'boolean', description: 'false leaves the tool out.' },
    description: { type: 'string', description: "Replaces the server's own description." },
    effect,
    needs_approval: approval,
    timeout: durationSetting('Longest time of one call.'),
    max_result_chars: chars,
    results: { enum: ['trusted', 'untrusted'] },
    pin: {
      type: 'string',
      description: "The fingerprint of the tool's description and schema: another definition is left out.",
    },
  },
};

/** The settings of a toolset of kind `mcp`, as JSON Schema. */
export const mcpSettingsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    transport: { enum: ['stdio', 'http', 'sse'], description: 'By default stdio with a command, and http with a url.' },
    command: { type: 'string', minLength: 1, description: 'The program of a server that is started here.' },
    args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
    cwd: { type: 'string', minLength: 1, description: 'The folder it is started in.' },
    env: texts('Variables of its environment.'),
    inherit_env: { type: 'array', items: { type: 'string' }, description: 'Names of variables of this process to pass on.' },
    ...sandboxSettings,
    sandbox: {
      type: 'boolean',
      description: 'true: the program runs in a sandbox, in which it may read and write its cwd. false is the default.',
    },
    url: { type: 'string', minLength: 1, description: 'Where a server listens.' },
    headers: texts('Headers to send along.'),
    allow_insecure: { type: 'boolean', description: 'Allows plain http to other machines.' },
    protocol: { enum: ['auto', 'legacy', 'modern'], description: 'Version of the protocol; auto asks the server.' },
    trust: { enum: ['trusted', 'untrusted'], description: 'trusted: what the server says its tools do is believed.' },
    results: { enum: ['trusted', 'untrusted'], description: 'untrusted: results are framed as text from outside.' },
    effect,
    needs_approval: approval,
    max_result_chars: chars,
    max_message_bytes: { type: 'integer', minimum: 1024, maximum: 67_108_864, description: 'Longest message of the server.' },
    timeouts: {
      type: 'object',
      description: 'How long things may take.',
      additionalProperties: false,
      properties: {
        connect: durationSetting('Longest time from the start to the end of the handshake; 30s.'),
        probe: durationSetting('Longest time for the server to name its protocol version; 10s, or a third of connect.'),
        list: durationSetting('Longest time to list the tools; 30s.'),
        call: durationSetting('Longest time of one call; 2m.'),
        close: durationSetting('How long a server may take to end before it is killed; 4s.'),
      },
    },
    tools: {
      type: 'object',
      additionalProperties: toolSettings,
      description: 'Settings of single tools, by their name on the server.',
    },
    only: { type: 'array', items: { type: 'string' }, description: "The server's tools to offer; all when absent." },
  },
};

/** Settings of one tool, with names as in code. */
export interface McpToolSettings {
  readonly enabled?: boolean;
  readonly description?: string;
  readonly effect?: 'pure' | 'idempotent' | 'unsafe';
  readonly needsApproval?: boolean;
  readonly timeoutMs?: number;
  readonly maxResultChars?: number;
  readonly results?: 'trusted' | 'untrusted';
  readonly pin?: string;
}

/** Command and environment for starting a server. */
export interface StdioAddress {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inheritEnv: readonly string[];
  /** Limits on its access; undefined for a server that runs with the rights of the engine. */
  readonly sandbox?: SandboxPolicy;
}

/** Address of a remote server. */
export interface HttpAddress {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowInsecure: boolean;
}

/** Time limits, in milliseconds. */
export interface McpTimeouts {
  readonly connect: number;
  readonly probe: number;
  readonly list: number;
  readonly call: number;
  readonly close: number;
}

/** The settings of a toolset of kind `mcp`, with their defaults. */
export interface McpSettings {
  readonly address: StdioAddress | HttpAddress;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  readonly trust: 'trusted' | 'untrusted';
  readonly results: 'trusted' | 'untrusted';
  readonly effect?: 'pure' | 'idempotent' | 'unsafe';
  readonly needsApproval?: boolean;
  readonly maxResultChars: number;
  readonly maxMessageBytes: number;
  readonly timeouts: McpTimeouts;
  readonly tools: ReadonlyMap<string, McpToolSettings>;
  readonly only?: ReadonlySet<string>;
}

/** Settings of one of a server's tools, as written; see docs/mcp.md. */
export interface WrittenToolSettings {
  readonly enabled?: boolean;
  readonly description?: string;
  readonly effect?: 'pure' | 'idempotent' | 'unsafe';
  readonly needs_approval?: boolean;
  readonly timeout?: number | string;
  readonly max_result_chars?: number;
  readonly results?: 'trusted' | 'untrusted';
  readonly pin?: string;
}

/** Settings of a server as written, in a file or for `mcpToolset`; see docs/mcp.md. */
export interface McpToolsetSettings {
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly inherit_env?: readonly string[];
  readonly sandbox?: boolean;
  readonly network?: 'none' | 'all' | readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allow_insecure?: boolean;
  readonly protocol?: 'auto' | 'legacy' | 'modern';
  readonly trust?: 'trusted' | 'untrusted';
  readonly results?: 'trusted' | 'untrusted';
  readonly effect?: 'pure' | 'idempotent' | 'unsafe';
  readonly needs_approval?: boolean;
  readonly max_result_chars?: number;
  readonly max_message_bytes?: number;
  readonly timeouts?: Readonly<Partial<Record<'connect' | 'probe' | 'list' | 'call' | 'close', number | string>>>;
  readonly tools?: Readonly<Record<string, WrittenToolSettings>>;
  readonly only?: readonly string[];
}
