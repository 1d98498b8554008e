import type { RunId } from '../../../src/core/ids.ts';
import type { CadreEvent, LanguageModel, ToolContext } from '../../../src/index.ts';
import { toReplyParts } from '../../../src/models/scripted/scripted-stream.ts';
import { delegate } from '../../support/delegate.ts';
import { askPerson } from '../../support/ask-person.ts';
import { waitsForUser } from '../../support/test-engine.ts';
import { allow, type TestTool, tool } from '../../support/tools.ts';
import { promptOwner } from '../team/prompt-owner.ts';
import { summariseWords } from '../team/flavour.ts';
import type { ClusterWorld } from './cluster-world.ts';
import type { SimProcess } from './sim-process.ts';

/** Milliseconds after which an approval of `Expires` lapses. */
export const expiresAfterMs = 5_000;

const tools = ['look', 'note', 'pay', 'check', 'mail', 'look_up', 'delegate', 'ask_person'];
const gate = 'tool_gates: [{ id: ask, tools: [pay], verdict: ask, message: May it pay?';

/** Profiles that a run can begin with. */
export const rootProfiles = ['Root', 'Chat', 'Asks', 'Expires', 'Wordy'] as const;

const profileTexts: Readonly<Record<string, string>> = {
  Root: allow(...tools),
  Chat: `${allow(...tools)}${waitsForUser}`,
  Asks: `${allow(...tools)}${gate} }]`,
  Expires: `${allow(...tools)}${gate}, expires_after: 5s }]`,
  Wordy: `${allow(...tools)}context_policy: { compaction: { at_actions: 2, keep: 1, instructions: ${summariseWords} } }`,
  Helper: allow('look', 'note', 'pay'),
};

export const clusterProfiles = Object.entries(profileTexts).map(([name, text]) => ({
  path: `profiles/${name}.yaml`,
  text: [
    `name: ${name}`,
    'type: associate',
    'llm_config_ref: m',
    'instructions: "<<{{ meta.run_id }}|{{ meta.agent_id }}|{{ state.turn_count }}|v0>>"',
    text,
  ].join('\n'),
}));

const effects: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  look: { effect: 'pure' },
  look_up: { effect: 'pure' },
  note: { effect: 'idempotent' },
  pay: {},
  check: { effect: 'verifiable', verify: 'look_up' },
  mail: { on_unknown: 'ask_human' },
};

/** Tools of one process; what they do is noted outside. */
export function clusterTools(world: ClusterWorld, process: SimProcess) {
  const made: TestTool[] = Object.entries(effects).map(([name, options]) =>
    tool(name, (_args, context) => perform(world, process, name, context), { timeout_ms: 60_000, ...options }),
  );
  return [...made, delegate, askPerson];
}

async function perform(world: ClusterWorld, process: SimProcess, name: string, context: ToolContext): Promise<unknown> {
  const { runId, toolCallId: callId, attempt, idempotencyKey: key, signal } = context;
  const deed = world.begin({ runId, callId, tool: name, attempt, key, process });
  for (let pauses = world.order.int(4); pauses > 0; pauses -= 1) {
    try {
      await abortable(world, process, name, signal);
    } catch (thrown) {
      deed.state = 'stopped';
      throw thrown;
    }
  }
  deed.state = 'done';
  if (name !== 'look_up') return `${name} is done`;
  const asked = world.deeds.find((each) => each.runId === runId && each.callId === callId && each.tool === 'check');
  if (asked?.state === 'done') return { happened: true, result: 'found' };
  // One that still runs somewhere may happen yet: only what was never begun, or is stopped for good, did not happen.
  if (asked === undefined || asked.state === 'stopped' || asked.process.state === 'dead') return { happened: false };
  return 'nobody knows';
}

interface Request {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly abortSignal?: AbortSignal;
}

/** The model of one process: it says what the plan in the newest message tells it to, whoever asks. */
export function clusterModel(world: ClusterWorld, process: SimProcess): LanguageModel {
  const model: object = {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'simulated',
    supportedUrls: {},
    doStream: (request: Request) => answer(world, process, request),
  };
  return model as LanguageModel;
}

async function answer(world: ClusterWorld, process: SimProcess, { prompt, abortSignal }: Request): Promise<object> {
  const isSummary = String(prompt[0]?.content) === summariseWords;
  if (!isSummary) noteRequest(world, prompt);
  await abortable(world, process, 'model', abortSignal);
  if (world.order.chance(0.3)) await abortable(world, process, 'model', abortSignal);
  const parts = toReplyParts(isSummary ? { text: 'a summary' } : planned(prompt));
  let position = 0;
  const read = () => {
    const value = parts[position++];
    return Promise.resolve(value === undefined ? { done: true } : { done: false, value });
  };
  return { stream: { getReader: () => ({ read, cancel: () => Promise.resolve() }) } };
}

/** Holds a request against the journal: its turn must be on record. */
function noteRequest(world: ClusterWorld, prompt: Request['prompt']): void {
  const { runId, turnId } = promptOwner(prompt);
  const events = world.journal.read(runId as RunId) as readonly CadreEvent[];
  if (!events.some((event) => event.type === 'turn.start' && event.turnId === turnId))
    throw world.violated(`an effect before its commit: the model is asked for ${turnId} of ${runId}, which is not in the journal`);
  const name = `${runId}/${turnId}`;
  world.asked.set(name, (world.asked.get(name) ?? 0) + 1);
}

/** Reply by the plan in the newest message: `look+pay; say done`. */
function planned(prompt: Request['prompt']) {
  const from = prompt.findLastIndex(({ role, content }) => role === 'user' && JSON.stringify(content).includes('plan:'));
  const text = from < 0 ? '' : JSON.stringify(prompt[from]?.content);
  const steps = (/.*plan:([^"\\<]*)/.exec(text)?.[1] ?? 'say done').split(';').map((step) => step.trim());
  const done = prompt.slice(from + 1).filter(({ role }) => role === 'assistant').length;
  const step = steps[done] ?? 'say done';
  if (step.startsWith('say')) return { text: step.slice(4) };
  return { toolCalls: step.split('+').map((name) => ({ name, args: name === 'delegate' ? { to: 'Helper' } : {} })) };
}

/** Chooses a plan. */
export function choosePlan(world: ClusterWorld): string {
  const { people } = world;
  const names = ['look', 'note', 'pay', 'pay', 'check', 'mail', 'delegate', 'ask_person'];
  const step = (): string => Array.from({ length: people.chance(0.3) ? 2 : 1 }, () => people.pick(names)).join('+');
  return `plan: ${[...Array.from({ length: people.int(4) }, step), 'say done'].join('; ')}`;
}

/** Waits for its turn, or fails at once when it is aborted. */
function abortable(world: ClusterWorld, process: SimProcess, label: string, signal: AbortSignal | undefined): Promise<void> {
  if (process.state === 'dead') return new Promise(() => undefined);
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      takeBack();
      if (process.state !== 'dead') reject(signal?.reason as Error);
    };
    const takeBack = world.scheduler.add(process.id, label, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
