import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../../src/core/ids.ts';
import { defineTool, type EngineOptions, type Journal } from '../../../src/index.ts';
import type { ScriptedReply } from '../../../src/models/scripted/scripted-reply.ts';
import { scriptedModel, type ScriptedRequest } from '../../../src/testing/index.ts';
import { profileFiles, waitsForUser } from '../test-engine.ts';

/** A line of the ledger: a tool began, ended, or was asked to stop. */
export interface LedgerLine {
  readonly kind: 'begin' | 'end' | 'stop';
  readonly tool: string;
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly key: string;
  readonly pid: number;
  /** Wall time. */
  readonly at?: number;
  /** True when the journal had the start of this attempt when the tool began. */
  readonly isCommitted?: boolean;
}

export function readLedger(file: string): readonly LedgerLine[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine);
}

/** Words of the newest user message, which say what the model does: `pay 3; look 2; stream 50; say done`. */
function planOf(prompt: ScriptedRequest['prompt']): { readonly steps: readonly string[]; readonly done: number } {
  const text = JSON.stringify(prompt.findLast(({ role }) => role === 'user'));
  const steps =
    /plan:([^"\\]*)/
      .exec(text)?.[1]
      ?.split(';')
      .map((step) => step.trim()) ?? [];
  const from = prompt.findLastIndex(({ role }) => role === 'user');
  return { steps, done: prompt.slice(from).filter(({ role }) => role === 'assistant').length };
}

/** Reply that `stream` gives in four pieces, with a pause before each. */
export const streamedText = 'one two three four five six seven eight';

/** Answers by the plan in the question alone, so that any worker gives the same answer. */
async function reply({ prompt }: ScriptedRequest): Promise<ScriptedReply> {
  const { steps, done } = planOf(prompt);
  const [what = 'say', ...rest] = (steps[done] ?? 'say done').split(' ');
  if (what === 'say') return { text: rest.join(' ') };
  if (what === 'stream') return { text: streamedText, delayMs: Number(rest[0]) };
  if (what === 'slow') {
    await delay(Number(rest[0]));
    return { text: `slow ${rest[0]}` };
  }
  return { toolCalls: [{ name: what, args: { ms: Number(rest[0] ?? 0) } }] };
}

/** Options of the engines of a test team: the same in each process. Tools write what they do to the ledger. */
export function teamOptions(
  ledger: string,
  journal: Pick<Journal, 'read'>,
): Pick<EngineOptions, 'profiles' | 'models' | 'tools' | 'team' | 'graceMs'> {
  const tool = (name: string, effect: 'pure' | 'idempotent' | 'unsafe') =>
    defineTool({
      name,
      description: `Is ${effect}.`,
      effect,
      parameters: { type: 'object', properties: { ms: { type: 'number' } } },
      execute: async ({ ms }: { readonly ms?: number }, { runId, toolCallId: callId, attempt, idempotencyKey: key, signal }) => {
        const line = { tool: name, runId, callId, attempt, key, pid: process.pid };
        const write = (kind: LedgerLine['kind'], more = {}): void =>
          appendFileSync(ledger, `${JSON.stringify({ kind, ...line, at: Date.now(), ...more })}\n`);
        const events = await journal.read(runId as RunId);
        const isCommitted = events.some(
          (event) => event.type === 'tool.start' && event.callId === callId && event.attempt === attempt,
        );
        write('begin', { isCommitted });
        try {
          await delay(ms ?? 0, undefined, { signal });
        } catch (thrown) {
          // A cancel that does not wait for this shows.
          await delay(100);
          write('stop');
          throw thrown;
        }
        write('end');
        return `${name} is done`;
      },
    });
  return {
    profiles: {
      files: profileFiles({
        Root: 'tool_access_policy: { allowed_individual_tools: [look, note, pay] }',
        Chat: waitsForUser,
        Expires: `tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: ask, tools: [pay], verdict: ask, message: May it pay?, expires_after: 1 }]`,
        Asks: `tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: ask, tools: [pay], verdict: ask, message: May it pay? }]`,
      }),
    },
    models: { m: scriptedModel(reply) },
    tools: [tool('look', 'pure'), tool('note', 'idempotent'), tool('pay', 'unsafe')],
    team: false,
    graceMs: 2_000,
  };
}
