import { describeThrown } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { JournalReader } from '../../core/events/journal.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId, TurnId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { type PendingRequest, pendingOf } from '../../core/state/pending.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { fillTokens } from '../../core/team/knowledge.ts';
import type { FileChange } from '../../core/tool/file-change.ts';
import type { CallPreview } from '../../core/tool/toolset.ts';
import type { ReadContent } from '../../inspect/read-content.ts';
import { type RequestCard, requestCards } from '../../inspect/requests/request-card.ts';
import { declaredUnreadable } from '../../files/guard/unreadable.ts';
import { filesOfRun } from '../recovery/facts-of-run.ts';
import { readGivenTools } from '../toolsets/given-tools.ts';
import { builtInToolsets } from '../toolsets/toolset-kinds.ts';

/** A run as its journal has it, and the folder that its tools work in. */
export interface CardParts {
  /** The full state. */
  readonly state: RunContext;
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
  /** Returns the workspace; it need not exist. */
  readonly workspace: () => string;
}

/**
 * Returns the cards of all requests that wait for a person, with what their calls would do to files as they are now. Needs the record
 * only: it opens no toolset, and works while another process advances the run.
 */
export async function cardsOfRun(parts: CardParts): Promise<readonly RequestCard[]> {
  const { state, content } = parts;
  const changes = new Map<string, readonly FileChange[]>();
  let toolsets: Promise<KnownToolsets> | undefined;
  for (const request of pendingOf(state)) {
    if (request.kind !== 'approval') continue;
    toolsets ??= toolsetsOf(parts);
    changes.set(request.id, await changesOf(parts, request, await toolsets));
  }
  return requestCards(state, { content, changes });
}

/** Returns the cards of a run that is read from its journal. */
export async function cardsOfJournal(
  runId: RunId,
  { journal, content, workspace }: Pick<CardParts, 'content' | 'workspace'> & { readonly journal: JournalReader },
): Promise<readonly RequestCard[]> {
  const events = await journal.read(runId);
  const state = foldEvents(events, 'everything');
  return state === undefined ? [] : await cardsOfRun({ state, events, content, workspace });
}

/** Kind and settings of a toolset; absent settings are not known here. */
interface KnownToolset {
  readonly kind: string;
  readonly settings: JsonObject | undefined;
}

interface KnownToolsets {
  readonly byName: ReadonlyMap<string, KnownToolset>;
  /** Paths that some toolset must not read: the others must not read them either. */
  readonly unreadable: readonly string[];
}

/** Returns the toolsets of a run's profiles and those that code gave it, without their environment. */
async function toolsetsOf({ state, events, content }: CardParts): Promise<KnownToolsets> {
  const { compileProfileFiles } = await import('../../profiles/compile-profile-files.ts');
  const { set } = compileProfileFiles(filesOfRun({ events, content }), { env: {}, isRecorded: true });
  const byName = new Map<string, KnownToolset>([...declaredBy(set, state), ...givenTo(state, content)]);
  const known = [...byName.values()].flatMap(({ settings }) => (settings === undefined ? [] : [settings]));
  return { byName, unreadable: declaredUnreadable(known) };
}

function declaredBy(set: ProfileSet | undefined, { meta }: RunContext): readonly (readonly [string, KnownToolset])[] {
  return [...(set?.toolsets.values() ?? [])].map(({ name, kind, settings, settingsFor, missing }) => {
    const known = missing.length > 0 ? undefined : (settingsFor?.(meta.request) ?? settings);
    return [name, { kind, settings: known }];
  });
}

function givenTo({ meta }: RunContext, content: ReadContent): readonly (readonly [string, KnownToolset])[] {
  const text = meta.given === undefined ? undefined : content(meta.given);
  if (text === undefined) return [];
  return Object.entries(readGivenTools(text).toolsets).flatMap(([name, { kind, settings, secrets }]) =>
    kind === undefined ? [] : [[name, { kind, settings: secrets === undefined ? (settings ?? {}) : undefined }]],
  );
}

async function changesOf(
  parts: CardParts,
  request: PendingRequest,
  { byName, unreadable }: KnownToolsets,
): Promise<readonly FileChange[]> {
  const { state, content, workspace } = parts;
  const call = callOf(state, request);
  const name = call?.toolset ?? request.tool;
  const { kind, settings } = byName.get(name) ?? { kind: name, settings: {} };
  const builtIn = Object.hasOwn(builtInToolsets, kind) ? builtInToolsets[kind] : undefined;
  const tool = name === kind ? request.tool : request.tool.slice(name.length + 1);
  if (builtIn?.tools.includes(tool) !== true) return [];
  const { preview } = await builtIn.load();
  if (preview === undefined) return [];
  if (settings === undefined) return [{ path: '', kind: 'unchanged', lines: [], problem: notKnown(name) }];
  const { args, since } = request;
  const filled: CallPreview['filled'] = (text) => fillTokens(text, state.team.shared, content);
  try {
    return await preview({ tool, args, runId: state.meta.runId, since, workspace: workspace(), filled }, { settings, unreadable });
  } catch (thrown) {
    // A disk that cannot be read must not keep a person from seeing the request.
    return [
      { path: '', kind: 'unchanged', lines: [], problem: `What it does to files cannot be shown: ${describeThrown(thrown)}` },
    ];
  }
}

function notKnown(toolset: string): string {
  return `What it does to files cannot be shown: settings of the toolset '${toolset}' come from the environment of its process.`;
}

function callOf({ turns }: RunContext, { callId, turnId }: PendingRequest): { readonly toolset?: string } | undefined {
  return turns.get(turnId as TurnId)?.calls.find((call) => call.callId === callId)?.request;
}
