import { totalmem } from 'node:os';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { durationOf, durationSetting } from '../settings.ts';
import { sandboxSettings, toSandboxPolicy, type SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { rememberOpened } from '../sandbox/sandbox-files.ts';
import type { ProcessLimits } from './limited-command.ts';

/** Settings of the programs of a toolset. */
export interface ProgramSettings {
  readonly policy: SandboxPolicy | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  readonly limits: ProcessLimits;
}

/** Maximum duration of a command, whatever its arguments say, in milliseconds. */
export const longestMs = 30 * 60_000;

const megabytes = (description: string, maximum: number): JsonSchema => ({ description, type: 'number', minimum: 1, maximum });

/** Returns the settings shared by toolsets that run programs; `timeout` is the default of the toolset, in words. */
export function programSettings(timeout: string): Readonly<Record<string, JsonSchema>> {
  return {
    ...sandboxSettings,
    env: {
      description:
        'Environment variables of the command alone; with a sandbox, they exist inside it only. Nothing is inherited but PATH, LANG, LC_ALL and TZ.',
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
      additionalProperties: { type: 'string' },
    },
    timeout: durationSetting(`Longest time; default ${timeout}, at most 30m.`),
    grace: durationSetting('Time a program has to end by itself before it is killed; default 5s.'),
    max_output_mb: megabytes('A program that writes more is ended; default 10.', 1000),
    max_memory_mb: megabytes('Address space of each process; default 4096.', 1_000_000),
    max_total_memory_mb: megabytes(
      'Memory of all its processes together; default 8192, or three quarters of what the machine has.',
      1_000_000,
    ),
    max_disk_mb: megabytes('What all programs of a run may write, together; default 10240.', 1_000_000),
    max_file_mb: megabytes('Longest file it may write; default 1024.', 1_000_000),
    max_processes: { description: 'Processes at the same time; default 256.', type: 'integer', minimum: 1, maximum: 100_000 },
    max_cpu_seconds: {
      description: 'Processor time of each process; default 1800.',
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
    },
  };
}

/** Converts validated settings; `timeoutMs` is the default of the toolset, in milliseconds. */
export function toProgramSettings(
  { settings, unreadable }: Pick<ToolsetRequest, 'settings' | 'unreadable'>,
  timeoutMs: number,
): ProgramSettings {
  const megabyte = 1024 * 1024;
  const policy = toSandboxPolicy(settings, unreadable);
  rememberOpened(policy);
  return {
    policy,
    env: toEnvironment(settings['env']),
    timeoutMs: Math.min(longestMs, durationOf(settings, 'timeout', timeoutMs)),
    graceMs: durationOf(settings, 'grace', 5_000),
    maxOutputBytes: toCount(settings['max_output_mb'], 10) * megabyte,
    limits: {
      memoryBytes: toCount(settings['max_memory_mb'], 4096) * megabyte,
      fileBytes: toCount(settings['max_file_mb'], 1024) * megabyte,
      cpuSeconds: toCount(settings['max_cpu_seconds'], 1800),
      processes: toCount(settings['max_processes'], 256),
      totalMemoryBytes: toCount(settings['max_total_memory_mb'], Math.min(8192, (totalmem() / megabyte) * 0.75)) * megabyte,
      diskBytes: toCount(settings['max_disk_mb'], 10_240) * megabyte,
    },
  };
}

/** Describes the variables that settings give programs, for a person who must agree: variables can make programs run other code. */
export function environmentWords(settings: JsonObject): string {
  const entries = Object.entries(toEnvironment(settings['env']));
  const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));
  const words = entries.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
  if (words === '') return '';
  return settings['sandbox'] === false ? `; with your rights, sets ${words}` : `; inside it, sets ${words}`;
}

function toCount(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function toEnvironment(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries((value ?? {}) as JsonObject);
  return Object.fromEntries(entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : [])));
}
