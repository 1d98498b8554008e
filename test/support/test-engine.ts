import { createEngine, type Engine, type EngineOptions, type Journal, type Run } from '../../src/index.ts';
import { prepareEngine } from '../../src/engine/create-engine.ts';
import type { DecisionWatch } from '../../src/engine/run/decide-batch.ts';
import type { ScriptedRepliesModel, ScriptedReplyFunction } from '../../src/models/scripted/scripted-replies.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { countingIds, createMemoryJournal, type ManualClock, manualClock, scriptedModel } from '../../src/testing/index.ts';

/** Options of a test's engine; everything but the replies has a default. */
export type TestEngineOptions = Omit<Partial<EngineOptions>, 'profiles' | 'models' | 'clock' | 'store'> & {
  /** Sees every decision (`support/rebuild/`). */
  readonly watch?: DecisionWatch;
  /** Fewest events between two snapshots. */
  readonly snapshotEvery?: number;
  /** YAML of the root's profile after its name and model, or of several profiles by name; the first one is launched. */
  readonly profile?: string | Readonly<Record<string, string>>;
  readonly replies?: ScriptedReplyFunction | readonly (ScriptedReply | ScriptedReplyFunction)[];
  readonly models?: Readonly<Record<string, unknown>>;
  readonly clock?: ManualClock;
  readonly store?: Journal | string;
  /** Further files: LLM configs, protocols. */
  readonly files?: readonly { readonly path: string; readonly text: string }[];
};

/** An engine for one test, with the parts a test wants to look at. */
export interface TestEngine {
  readonly engine: Engine;
  readonly model: ScriptedRepliesModel;
  readonly clock: ManualClock;
  readonly journal: Journal;
  /** Launches the first profile. */
  launch(input?: string, options?: Parameters<Engine['launch']>[1]): Promise<Run>;
}

/** The name of the profile that `launch` starts, unless profiles have names of their own. */
export const rootProfile = 'Root';

/** Creates an engine over a memory journal, a manual clock, counting ids and one scripted model. */
export async function testEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const {
    profile = '',
    replies = [],
    models = {},
    files = [],
    clock = manualClock(),
    store = createMemoryJournal(),
    ...rest
  } = options;
  const model = scriptedModel(replies);
  const profiles = profilesOf(profile);
  const whole: EngineOptions & { readonly watch?: DecisionWatch; readonly snapshotEvery?: number } = {
    ids: countingIds(),
    random: () => 0.5,
    graceMs: 50,
    team: false,
    ...rest,
    profiles: { files: [...files, ...profileFiles(profiles)] },
    models: { m: model, ...models },
    clock,
    store,
  };
  const isPlain = rest.watch === undefined && rest.snapshotEvery === undefined;
  const engine = isPlain ? await createEngine(whole) : await (await prepareEngine(whole)).open(whole);
  const [first = rootProfile] = Object.keys(profiles);
  return {
    engine,
    model,
    clock,
    journal: typeof store === 'string' ? createMemoryJournal() : store,
    launch: (input = 'Go.', launchOptions) => engine.launch({ profile: first, input }, launchOptions),
  };
}

/** Profiles by name; a text alone is that of the root. */
function profilesOf(profile: NonNullable<TestEngineOptions['profile']>): Readonly<Record<string, string>> {
  return typeof profile === 'string' ? { [rootProfile]: profile } : profile;
}

/** The files of profiles: name, type, model `m` and instructions are filled in where a text has none. */
export function profileFiles(
  profile: NonNullable<TestEngineOptions['profile']>,
): { readonly path: string; readonly text: string }[] {
  return Object.entries(profilesOf(profile)).map(([name, text]) => ({
    path: `profiles/${name}.yaml`,
    text: profileText(name, text),
  }));
}

/** A whole profile: name, type, model and instructions are filled in where the text has none. */
function profileText(name: string, text: string): string {
  const lines = [`name: ${name}`];
  if (!/^type:/m.test(text)) lines.push('type: associate');
  if (!/^llm_config_ref:/m.test(text)) lines.push('llm_config_ref: m');
  if (!/^(instructions|system_prompt_construction):/m.test(text)) lines.push('instructions: You work.');
  return `${lines.join('\n')}\n${text}\n`;
}

/** A decider that waits for the user when the model called no tool. */
export const waitsForUser = `
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;

/** A promise with its handles. */
export interface Gate<T = void> {
  readonly promise: Promise<T>;
  readonly open: (value: T) => void;
  readonly fail: (reason: unknown) => void;
}

/** Makes a promise that a test settles when it wants. */
export function gate<T = void>(): Gate<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  promise.catch(() => undefined);
  return { promise, open: resolve, fail: reject };
}

/** Lets everything that is ready run. */
export async function breathe(rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}
