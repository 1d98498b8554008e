import { CadreError, type ErrorRecord } from '../error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { ModelReply, OfferedTool, Usage } from '../model/model.ts';
import { applyChange, type PromptChange, type RecordedPrompt } from './recorded-prompt.ts';
import type { CallStatus } from '../state/turn.ts';
import { readJson } from '../read-json.ts';

/** Marker at the start of every recording, and the supported version of the format. */
export const recordingFormat = 'cadre-recording';
export const recordingVersion = 1;

/** Start parameters of the run: the first line. */
export interface RecordedStart {
  readonly format: typeof recordingFormat;
  readonly version: number;
  readonly profile: string;
  readonly input: JsonValue;
  readonly llmConfig?: string;
  /** Values of the run's request. */
  readonly request?: JsonObject;
}

/** A list of offered tools, written once; model calls refer to its id. */
export interface RecordedTools {
  readonly kind: 'tools';
  readonly id: string;
  readonly tools: readonly OfferedTool[];
}

/** One attempt, without times. */
export interface RecordedAttempt {
  readonly config: string;
  readonly model: string;
  readonly error?: ErrorRecord;
  readonly partialText?: string;
  readonly usage?: Usage;
  readonly cost?: number;
}

/** Reply of a model, or the reason for none. */
export interface RecordedOutcome {
  readonly reply?: ModelReply;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  readonly cost?: number;
  readonly attempts: readonly RecordedAttempt[];
}

/** A model call of an agent's turn: the `call`-th of that agent that was not aborted, counted from 1. */
export interface RecordedCall extends RecordedOutcome {
  readonly kind: 'model';
  readonly agent: string;
  readonly call: number;
  readonly prompt: RecordedPrompt;
}

/** The call of an agent's compaction, the `call`-th from 1. */
export interface RecordedSummary extends RecordedOutcome {
  readonly kind: 'summary';
  readonly agent: string;
  readonly call: number;
}

/** Position of a tool call: after the agent's `call`-th model call, the `index`-th of its turn from 0. */
export interface RecordedPlace {
  readonly agent: string;
  readonly call: number;
  readonly index: number;
  readonly tool: string;
}

/** Result of a tool. */
export interface RecordedTool extends RecordedPlace {
  readonly kind: 'tool';
  readonly args: JsonObject | null;
  readonly status: CallStatus;
  readonly content: Content;
  readonly error?: ErrorRecord;
  /** Items that it posted with its result. */
  readonly items?: readonly { readonly source: string; readonly payload: JsonValue; readonly to?: string }[];
}

/** A person's decision about a call. */
export interface RecordedVerdict extends RecordedPlace {
  readonly kind: 'verdict';
  readonly verdict: 'approved' | 'rejected' | 'answered';
  readonly value?: JsonValue;
  readonly message?: string;
  readonly args?: JsonObject;
  readonly always?: boolean;
  /** The person who decided, for the record: a replay records that it is one. */
  readonly by?: string;
}

/** An item posted from outside during the run. */
export interface RecordedItem {
  readonly kind: 'item';
  readonly agent: string;
  readonly source: string;
  readonly payload: JsonValue;
  /** The person who posted it. */
  readonly by?: string;
}

/** One line of a recording after its first. */
export type RecordingEntry = RecordedTools | RecordedCall | RecordedSummary | RecordedTool | RecordedVerdict | RecordedItem;

/** A run's model replies, tool results and people's input, in order. */
export interface Recording {
  readonly start: RecordedStart;
  readonly entries: readonly RecordingEntry[];
  /** Line number of each entry, from 1. */
  readonly lines: readonly number[];
  /** Name of its origin, for messages. */
  readonly source: string;
  /**
   * How an answer is found: by the place of its call in the run (`place`, the default), or by what is asked (`prompt`), for a run that
   * begins in the middle, such as a partial replay.
   */
  readonly find?: 'place' | 'prompt';
}

type WrittenCall = Omit<RecordedCall, 'prompt'> & { readonly prompt: PromptChange };

/** A written entry: a model call has only the difference of its prompt from the agent's previous one. */
export type WrittenEntry = Exclude<RecordingEntry, RecordedCall> | WrittenCall;

/** Parses a recording. Throws RECORDING_INVALID with the line when it is malformed, truncated or of another version. */
export function parseRecording(text: string, source = 'the recording'): Recording {
  const lines: number[] = [];
  const entries: RecordingEntry[] = [];
  const prompts = new Map<string, RecordedPrompt>();
  let start: RecordedStart | undefined;
  text.split('\n').forEach((written, index) => {
    if (written.trim() === '') return;
    const say = (what: string): CadreError =>
      new CadreError('RECORDING_INVALID', `${source}, line ${index + 1}: ${what}`, { details: { source, line: index + 1 } });
    const value = readLine(written, say);
    if (start === undefined) {
      start = readStart(value, say);
      return;
    }
    const entry = checkEntry(value, say);
    lines.push(index + 1);
    if (entry.kind !== 'model') {
      entries.push(entry);
      return;
    }
    const prompt = applyChange(entry.prompt, prompts.get(entry.agent));
    prompts.set(entry.agent, prompt);
    entries.push({ ...entry, prompt });
  });
  if (start !== undefined) return { start, entries, lines, source };
  throw new CadreError('RECORDING_INVALID', `${source} is empty; a recording is made with: cadre run --record FILE "…"`);
}

type Complain = (what: string) => CadreError;

function readLine(line: string, say: Complain): JsonObject {
  let value: unknown;
  try {
    value = readJson(line);
  } catch {
    throw say('this is no JSON; was the file cut?');
  }
  if (isJsonObject(value)) return value;
  throw say('this is no JSON object');
}

function readStart(value: JsonObject, say: Complain): RecordedStart {
  if (value['format'] !== recordingFormat) throw say(`a recording begins with a line that says "format":"${recordingFormat}"`);
  if (value['version'] !== recordingVersion)
    throw say(
      `the recording is of version ${JSON.stringify(value['version'])}, and this program reads version ${recordingVersion}; record the run again`,
    );
  const { profile, input, llmConfig, request } = value;
  if (typeof profile !== 'string' || input === undefined) throw say('the first line names no profile or no input');
  if (llmConfig !== undefined && typeof llmConfig !== 'string') throw say('llmConfig of the first line must be a text');
  if (request !== undefined && !isJsonObject(request)) throw say('request of the first line must be a map');
  return {
    format: recordingFormat,
    version: recordingVersion,
    profile,
    input,
    ...(request === undefined ? {} : { request }),
    ...(llmConfig === undefined ? {} : { llmConfig }),
  };
}

/** Required fields of each kind of line, with their types. */
const shapes: Readonly<Record<RecordingEntry['kind'], Readonly<Record<string, 'string' | 'number' | 'list' | 'map' | 'any'>>>> = {
  tools: { id: 'string', tools: 'list' },
  model: { agent: 'string', call: 'number', prompt: 'map', usage: 'map', attempts: 'list' },
  summary: { agent: 'string', call: 'number', usage: 'map', attempts: 'list' },
  tool: { agent: 'string', call: 'number', index: 'number', tool: 'string', args: 'any', status: 'string', content: 'any' },
  verdict: { agent: 'string', call: 'number', index: 'number', tool: 'string', verdict: 'string' },
  item: { agent: 'string', source: 'string', payload: 'any' },
};

function checkEntry(value: JsonObject, say: Complain): WrittenEntry {
  const { kind } = value;
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind))
    throw say(`there are no lines of kind ${JSON.stringify(kind)}; there are ${Object.keys(shapes).join(', ')}`);
  for (const [field, type] of Object.entries(shapes[kind as RecordingEntry['kind']])) {
    if (!isOf(value[field], type)) throw say(`a line of kind ${kind} needs ${field}${type === 'any' ? '' : `, a ${type}`}`);
  }
  const isCall = kind === 'model' || kind === 'summary';
  if (isCall && !isJsonObject(value['reply']) && !isJsonObject(value['error'])) throw say('a model call needs a reply or an error');
  if (isCall && isJsonObject(value['reply']) && !isReply(value['reply']))
    throw say('a reply needs text, reasoning and finishReason, which are texts, and toolCalls, a list');
  if (kind === 'model' && !(isJsonObject(value['prompt']) && Array.isArray(value['prompt']['added'])))
    throw say('the prompt of a model call needs added, a list of messages');
  // The table of shapes and the tests above have just shown it, field by field.
  return value as unknown as WrittenEntry;
}

function isReply({ text, reasoning, finishReason, toolCalls }: JsonObject): boolean {
  return [text, reasoning, finishReason].every((field) => typeof field === 'string') && Array.isArray(toolCalls);
}

function isOf(value: JsonValue | undefined, type: 'string' | 'number' | 'list' | 'map' | 'any'): boolean {
  switch (type) {
    case 'any':
      return value !== undefined;
    case 'list':
      return Array.isArray(value);
    case 'map':
      return isJsonObject(value);
    case 'string':
    case 'number':
      return typeof value === type;
  }
}
