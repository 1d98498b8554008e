import { CadreError } from '../../core/error.ts';
import { requiredTexts, storedText } from '../../core/events/journal.ts';
import type { ContentHash, RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { ReadContent } from '../../inspect/read-content.ts';
import { partsOf } from '../../inspect/rerender/compare-turn.ts';
import { type Rerendering, type RerenderedRun, type TurnDifference, summarize } from '../../inspect/rerender/rerendered-turn.ts';
import type { EngineParts, ProfileRuntime } from '../engine-parts.ts';
import { checkArgument, checkOptions } from '../check-arguments.ts';
import { rerenderOptions } from '../public-options.ts';
import { checkProfileInput } from '../check-engine-options.ts';
import { missingText } from '../recovery/resume-texts.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import type { ToolList } from '../toolsets/tool-list.ts';
import { profilesOf, toolsetsNeeded } from '../toolsets/toolset-hold.ts';
import type { RerenderOptions } from './rerender-options.ts';
import { rerenderRun, type RerenderedTurn } from './rerender-run.ts';
import { recordedToolList } from './stand-in-tools.ts';
import { allowedTools } from '../../tools/access.ts';

/** Parts of an engine that rerendering needs. */
export type RerenderParts = Pick<EngineParts, 'journal' | 'runtime' | 'rehearse'>;

/** One run, decided again. */
export interface RerenderedEvents {
  readonly turns: readonly RerenderedTurn[];
  readonly notes: readonly string[];
  /** Unsafe tools of the other profiles. */
  readonly unsafe: readonly string[];
}

/**
 * Decides the recorded turns of runs again with other profiles: what prompt, observers, gates and decision each would have had. Calls no model,
 * runs no tool, writes nothing.
 *
 * @throws CadreError `PROFILE_INVALID` for profiles that do not compile, `RUN_UNKNOWN` for a run that the journal does not have
 */
export async function rerender(
  parts: RerenderParts,
  runIds: string | readonly string[],
  options: RerenderOptions,
): Promise<Rerendering> {
  checkArgument('engine.rerender: runs', runIds, 'names');
  checkOptions('engine.rerender', options, rerenderOptions);
  if (options.profiles !== undefined) checkProfileInput('engine.rerender: profiles', options.profiles);
  const runtimes = new Map<ContentHash | undefined, Promise<ProfileRuntime>>();
  const source = options.profiles ?? { files: parts.runtime.set.files };
  const runs: RerenderedRun[] = [];
  const differences: TurnDifference[] = [];
  for (const runId of new Set([runIds].flat())) {
    const { turns, notes, unsafe } = await rerenderEvents(parts, runId as RunId, {
      prompts: options.prompts === true,
      runtimeOf: (run) => {
        const { given } = run.meta;
        const made = runtimes.get(given) ?? parts.rehearse(source, givenText(parts, run));
        runtimes.set(given, made);
        return made;
      },
    });
    const differing = turns.flatMap((turn) => toDifference(runId as RunId, turn) ?? []);
    differences.push(...differing);
    runs.push({
      runId: runId as RunId,
      turns: turns.length,
      same: turns.length - differing.length,
      differ: differing.length,
      unsafeTools: unsafe,
      notes,
    });
  }
  return summarize(runs, differences);
}

/** Decides the turns of one run again with the profiles of `runtimeOf`. */
export async function rerenderEvents(
  { journal }: Pick<RerenderParts, 'journal'>,
  runId: RunId,
  options: { readonly prompts: boolean; readonly runtimeOf: (run: RunContext) => Promise<ProfileRuntime> },
): Promise<RerenderedEvents> {
  const events = await journal.read(runId);
  const run = foldEvents(events);
  if (run === undefined) throw new CadreError('STORE_CORRUPT', `run ${runId} does not begin with run.start`);
  const content: ReadContent = requiredTexts((hash) => storedText(journal, hash), journal.location);
  const runtime = await options.runtimeOf(run);
  const decisionOf = decisionsOf(runtime, content);
  const turns = rerenderRun(events, { content, prompts: options.prompts, decisionOf });
  return { turns, notes: [...notesOn(run, runtime), ...lostNotes(turns)], unsafe: unsafeTools(run, runtime, decisionOf(run)) };
}

/** Returns what code gave the run of tools, as recorded; undefined in journals of earlier versions. */
export function givenText({ journal }: Pick<RerenderParts, 'journal'>, run: RunContext): string | undefined {
  const { given } = run.meta;
  if (given === undefined) return undefined;
  const text = storedText(journal, given);
  if (text === undefined) throw missingText(run, `the tools that code gave (${given})`);
  return text;
}

/** Returns the decision context at a moment of a run: its connecting toolsets have the tools recorded by then. */
function decisionsOf({ decisions }: ProfileRuntime, content: ReadContent): (run: RunContext) => DecisionContext {
  const lists = new Map<string, ToolList>();
  const listOf = (hash: ContentHash): ToolList => {
    const list = lists.get(hash) ?? recordedToolList(hash, content(hash) ?? '[]');
    lists.set(hash, list);
    return list;
  };
  let known: { readonly toolsets: RunContext['meta']['toolsets']; readonly decision: DecisionContext } | undefined;
  return ({ meta: { toolsets } }) => {
    if (known?.toolsets !== toolsets) {
      const offered = new Map([...toolsets].map(([name, hash]) => [name, listOf(hash)]));
      known = { toolsets, decision: decisions.with(offered).decision };
    }
    return known.decision;
  };
}

/** Says which toolsets cannot be judged: their tools are known once they connect, and this run never connected them. */
function notesOn(run: RunContext, { set, decisions }: ProfileRuntime): readonly string[] {
  const needed = toolsetsNeeded(set, profilesOf(run));
  const unknown = decisions.connecting.filter(
    ({ name, initialTools }) => needed?.has(name) === true && !run.meta.toolsets.has(name) && initialTools.tools.length === 0,
  );
  const notes = unknown.map(
    ({ name }) =>
      `the tools of '${name}' are not in this run's journal, and re-rendering connects to nothing: turns are shown without them`,
  );
  return run.meta.imported?.redacted === true
    ? [...notes, 'the run was redacted before it was imported: texts differ where it was']
    : notes;
}

/** Names the turns whose decision could not be judged on the state that their edited preparation left. */
function lostNotes(turns: readonly RerenderedTurn[]): readonly string[] {
  const lost = turns.flatMap(({ start, lostState }) => (lostState ? [start.turnId] : []));
  if (lost.length === 0) return [];
  return [`recorded events do not fit the state that the edit leaves in ${lost.join(', ')}: decided on the recorded state`];
}

function toDifference(runId: RunId, { start, profile, difference, prompts }: RerenderedTurn): TurnDifference | undefined {
  if (difference === undefined) return undefined;
  const { turnId, agentId, seq } = start;
  const place = { runId, turnId, agentId, profile, seq, parts: partsOf(difference) };
  return { ...place, ...difference, ...(prompts === undefined ? {} : { prompts }) };
}

/**
 * Lists the tools with the effect `unsafe` that agents of a profile set may call, and the toolsets whose tools are known only once they
 * connect: a run that goes on with these profiles may do something outside again.
 */
function unsafeTools(run: RunContext, { set, decisions }: ProfileRuntime, { env }: DecisionContext): readonly string[] {
  const profiles = [...set.profiles.values()].filter(({ type, isActive, isDeleted }) => type !== 'base' && isActive && !isDeleted);
  const tools = profiles.flatMap(({ allowedToolsets, allowedTools: named }) =>
    allowedTools(env.catalog, { allowedToolsets, allowedTools: named }),
  );
  const unsafe = tools.flatMap(({ name, kind, effect }) => (kind === 'effect' && effect === 'unsafe' ? [name] : []));
  const allowed = new Set(profiles.flatMap(({ allowedToolsets }) => allowedToolsets));
  const unknown = decisions.connecting.flatMap(({ name, initialTools }) =>
    allowed.has(name) && !run.meta.toolsets.has(name) && initialTools.tools.length === 0
      ? [`${name} (a toolset that connects)`]
      : [],
  );
  return [...new Set([...unsafe, ...unknown])].toSorted();
}
