import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { exportRun, type ExportOptions } from '../../engine/recovery/export-run.ts';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import { contentOf, withoutImport } from '../../inspect/bundle.ts';
import { readList, type ReadContent } from '../../inspect/read-content.ts';
import { toTurnRecord, type TurnRecord } from '../../inspect/turn/turn-record.ts';
import { yamlLibrary } from '../../profiles/yaml/yaml-library.ts';
import type { DeclaredTool, TurnExpectations } from '../cases/test-case.ts';
import { readStatePath } from '../expect/read-state.ts';
import { TestedProfiles, type TestedProfilesOptions } from '../play/tested-profiles.ts';
import { replayTurn } from '../play/play-recorded.ts';
import { type PlayedTurn, spanOf } from '../play/played.ts';
import type { RecordedTurn } from '../play/recorded-source.ts';

/** A test made from a recorded turn. */
export interface WrittenTest {
  /** Profile of the tested agent. */
  readonly profile: string;
  /** Text of the test file. */
  readonly text: string;
  /** The run up to the end of the turn, redacted, as an exported run. */
  readonly recording: string;
  /** What the present profiles make of the turn that the recorded ones did not, one phrase each. */
  readonly differences: readonly string[];
}

/** What a written test needs besides the turn. */
export interface WriteOptions extends Pick<TestedProfilesOptions, 'profiles' | 'tools'> {
  /** Path of the recording, relative to the test file. */
  readonly recordingPath: string;
  readonly redaction: Pick<ExportOptions, 'at' | 'env' | 'homes'>;
}

/** Makes a test of a recorded turn: it expects what the present profiles do, and brings the recording that it needs. */
export async function writeTest({ events, content, turn }: RecordedTurn, options: WriteOptions): Promise<WrittenTest> {
  const { to } = spanOf(events, turn.turnId);
  const { bundle } = await exportRun(
    { events: events.slice(0, to).map(withoutImport), content },
    { ...options.redaction, redact: true },
  );
  const state = foldEvents(bundle.events, 'everything');
  const recorded = state?.turns.get(turn.turnId);
  const agent = state?.agents.get(turn.agentId);
  if (state === undefined || recorded === undefined || agent === undefined)
    throw new CadreError('TURN_UNKNOWN', `${turn.turnId} is not in the recording`);
  const source = { events: bundle.events, content: contentOf(bundle) };
  const declared = declaredTools(source.events, source.content);
  const { profiles, tools } = options;
  const tested = await TestedProfiles.open({ profiles, declared, ...(tools === undefined ? {} : { tools }) });
  const { profile } = agent.meta;
  const played = await replayTurn(tested, { ...source, turn: recorded }, { profile, body: {} });
  const before = toTurnRecord(state, recorded, source.content, tested.set.profiles, createContentHash());
  const { runId, title } = bundle.run;
  const file: JsonObject = {
    profile,
    ...(Object.keys(declared).length === 0 ? {} : { tools: declared as unknown as JsonObject }),
    cases: [
      {
        name: `${turn.turnId} of ${runId}`,
        given: { from: `${options.recordingPath}/${turn.turnId}` },
        reply: { recorded: true },
        expect: expectationsOf(played) as unknown as JsonObject,
      },
    ],
  };
  const head = `# Written by \`cadre test --from ${runId} ${turn.turnId}\` (${oneLine(title)}).\n# The recorded turn is taken again with the present profiles; edit what is expected as you like.\n`;
  const { stringify } = yamlLibrary();
  return {
    profile,
    text: head + stringify(file, { lineWidth: 120 }),
    recording: `${JSON.stringify(bundle)}\n`,
    differences: differencesOf(before, played.record),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 100);
}

/** Tools that connecting toolsets offered, as the journal has them. */
function declaredTools(events: readonly CadreEvent[], content: ReadContent): Readonly<Record<string, DeclaredTool>> {
  const declared: Record<string, DeclaredTool> = {};
  for (const event of events) {
    if (event.type !== 'toolset.update') continue;
    for (const fact of readList(content, event.tools)) {
      if (!isJsonObject(fact) || typeof fact['name'] !== 'string') continue;
      const { description, parameters } = fact;
      declared[fact['name']] = {
        toolset: event.toolset,
        ...(typeof description === 'string' ? { description } : {}),
        ...(isJsonObject(parameters) ? { parameters } : {}),
      };
    }
  }
  return declared;
}

function expectationsOf(played: PlayedTurn): TurnExpectations {
  const { record, own } = played;
  const ids = (fired: boolean): readonly string[] => [
    ...new Set(record.observers.filter((each) => each.fired === fired).map(({ id }) => id)),
  ];
  const [fired, quiet] = [ids(true), ids(false).filter((id) => !ids(true).includes(id))];
  const { action } = record.decision;
  const end = own.find((event) => event.type === 'agent.end' && event.agentId === record.agentId);
  const state = changedState(played);
  const posted = own.flatMap((event) => {
    if (event.type !== 'inbox.add') return [];
    const { source, observerId: observer, ruleId: rule } = event.item;
    return observer === undefined && rule === undefined
      ? []
      : [{ source, ...(observer === undefined ? {} : { observer }), ...(rule === undefined ? {} : { rule }) }];
  });
  return {
    ...(record.prompt.text === '' ? {} : { prompt: { snapshot: 'prompt' } }),
    ...(fired.length + quiet.length === 0 ? {} : { observers: { fired, quiet } }),
    rule: action?.ruleId ?? null,
    ...(action === undefined ? {} : { action: action.type }),
    tool_calls: record.toolInteractions.map(({ name, args, status }) => ({
      tool: name,
      ...(args === null ? {} : { args }),
      status,
    })),
    ...(Object.keys(state).length === 0 ? {} : { state }),
    ...(posted.length === 0 ? {} : { posted }),
    end: end?.type === 'agent.end' ? end.outcome : false,
  };
}

function changedState({ record, state }: PlayedTurn): JsonObject {
  const agent = state.agents.get(record.agentId);
  const values: Record<string, JsonValue> = {};
  for (const { path, value } of record.stateChanges) {
    // A key with a dot in it cannot be named by a path.
    const now = agent === undefined ? undefined : readStatePath(state, agent, path);
    if (value === undefined || JSON.stringify(now) !== JSON.stringify(value)) continue;
    // Of a new module, what an author looks at.
    if (!/^team\.work_modules\.[^.]+$/.test(path) || !isJsonObject(value)) values[path] = value;
    else for (const key of ['name', 'status']) values[`${path}.${key}`] = value[key] ?? null;
  }
  return values;
}

function differencesOf(before: TurnRecord, now: TurnRecord): readonly string[] {
  const ruleOf = ({ decision }: TurnRecord): string => decision.action?.ruleId ?? decision.action?.type ?? 'none';
  const firedOf = ({ observers }: TurnRecord): string =>
    observers.flatMap(({ id, fired }) => (fired ? [id] : [])).join(', ') || 'none';
  const callsOf = ({ toolInteractions }: TurnRecord): string =>
    toolInteractions.map(({ name, status }) => `${name} (${status})`).join(', ') || 'none';
  const pairs: readonly (readonly [string, string, string])[] = [
    ['rule', ruleOf(before), ruleOf(now)],
    ['observers', firedOf(before), firedOf(now)],
    ['calls', callsOf(before), callsOf(now)],
  ];
  const differing = pairs.flatMap(([what, was, is]) => (was === is ? [] : [`${what}: ${was} when it was recorded, ${is} now`]));
  return withoutNonces(before.prompt.text) === withoutNonces(now.prompt.text)
    ? differing
    : [...differing, 'the prompt is not the recorded one (the snapshot holds that of now)'];
}

/** Exported runs lack the seed of the marks around untrusted text, so these marks are others. */
function withoutNonces(prompt: string): string {
  return prompt.replaceAll(/ nonce="[\w-]+"/g, '');
}
