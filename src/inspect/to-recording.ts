import { actors } from '../core/by.ts';
import { callerOf } from '../core/state/agent-path.ts';
import type { CadreEvent, EventOf } from '../core/events/event.ts';
import type { JsonValue, Writable } from '../core/json.ts';
import type { ModelReply, OfferedTool } from '../core/model/model.ts';
import { idPattern, plainTextOf, runMark } from '../core/recording/plain-text.ts';
import { assemblePrompt, headsOf, segmentSeparator } from '../core/prompt/prompt.ts';
import { changeOf, toRecordedPrompt, type RecordedPrompt } from '../core/recording/recorded-prompt.ts';
import {
  recordingFormat,
  recordingVersion,
  type RecordedOutcome,
  type RecordedPlace,
  type RecordedStart,
  type RecordedTool,
  type WrittenEntry,
} from '../core/recording/recording.ts';
import type { CallState, TurnState } from '../core/state/turn-state.ts';
import type { RunContext } from '../core/state/run-context.ts';
import { readList, type ReadContent } from './read-content.ts';
import { toSystemPrompt } from './turn/system-prompt.ts';
import { historyOfTurn } from './turn/turn-history.ts';

/**
 * Writes a run's recording as JSON lines, in journal order: model replies, tool results and people's messages. Omits times and the
 * run's id, so that an identical run gives identical bytes. `run` must hold its full past (a fold that keeps everything); `events`
 * are its journal.
 */
export function toRecording(run: RunContext, events: readonly CadreEvent[], content: ReadContent): string {
  const writer = new RecordingWriter(run, content);
  const entries = events.flatMap((event) => writer.entriesOf(event, events));
  const id = idPattern(run.meta.runId);
  return [startOf(run), ...entries].map((entry) => `${JSON.stringify(entry).replace(id, runMark)}\n`).join('');
}

function startOf(run: RunContext): RecordedStart {
  const { profile, input, llmConfig, request } = run.meta;
  const start: Writable<RecordedStart> = { format: recordingFormat, version: recordingVersion, profile, input };
  if (llmConfig !== undefined) start.llmConfig = llmConfig;
  if (Object.keys(request).length > 0) start.request = request;
  return start;
}

/** Errors of calls that were stopped, which are not replies of a model. */
const stopped: ReadonlySet<string> = new Set(['MODEL_ABORTED', 'MODEL_INTERRUPTED']);

/** Turns events into entries, in one pass over a journal. */
class RecordingWriter {
  readonly #run: RunContext;
  readonly #content: ReadContent;
  readonly #plain: (text: string) => string;
  readonly #prompts = new Map<string, RecordedPrompt>();
  readonly #calls = new Map<string, number>();
  readonly #summaries = new Map<string, number>();
  readonly #toolLists = new Map<string, string>();

  constructor(run: RunContext, content: ReadContent) {
    this.#run = run;
    this.#content = content;
    this.#plain = plainTextOf(run.meta.runId);
  }

  entriesOf(event: CadreEvent, events: readonly CadreEvent[]): readonly WrittenEntry[] {
    switch (event.type) {
      case 'model.end':
        return this.#model(event);
      case 'compaction.end':
        return this.#summary(event);
      case 'tool.end':
        return this.#tool(event, events);
      case 'tool.answer': {
        const place = this.#placeOf(event);
        if (place === undefined || event.standing !== undefined) return [];
        const { verdict, value, message, args, always, by } = event;
        const edit = { ...(args === undefined ? {} : { args }), ...(always === undefined ? {} : { always }) };
        const said = { ...edit, ...(value === undefined ? {} : { value }), ...(message === undefined ? {} : { message }) };
        return [{ kind: 'verdict', ...place.place, verdict, ...said, ...personIn(by) }];
      }
      case 'inbox.add':
        return this.#item(event);
      default:
        return [];
    }
  }

  #model(event: EventOf<'model.end'>): readonly WrittenEntry[] {
    const turn = this.#run.turns.get(event.turnId);
    const agent = this.#pathOf(event.agentId);
    // A replay makes the planner's decisions again.
    if (event.attempts.length === 0 && event.reply?.modelId?.startsWith('planner:') === true) return [];
    if (turn === undefined || (event.error !== undefined && stopped.has(event.error.code))) return [];
    const listed: WrittenEntry[] = [];
    const tools = this.#toolsOf(turn, listed);
    const prompt = toRecordedPrompt(
      this.#messagesOf(turn),
      { tools, choice: turn.start.prompt?.toolChoice ?? 'auto' },
      this.#plain,
    );
    const change = changeOf(prompt, this.#prompts.get(agent));
    this.#prompts.set(agent, prompt);
    return [...listed, { kind: 'model', agent, call: counted(this.#calls, agent), prompt: change, ...outcomeOf(event) }];
  }

  #messagesOf(turn: TurnState): Parameters<typeof toRecordedPrompt>[0] {
    const { prompt, inputs } = turn.start;
    if (prompt === undefined) return [];
    const { segments } = toSystemPrompt(prompt.system, this.#content, undefined);
    const system = segments.flatMap(({ text }) => (text === '' ? [] : [text])).join(segmentSeparator);
    const heads = headsOf(prompt).map(({ head }) => this.#content(head) ?? '');
    return assemblePrompt({ systemText: system, history: historyOfTurn(this.#run, turn), range: prompt, inputs, heads });
  }

  /** Returns the id of a turn's tool list, and records a new list first. */
  #toolsOf(turn: TurnState, listed: WrittenEntry[]): string {
    const hash = turn.start.prompt?.tools;
    const tools = hash === undefined ? [] : (readList(this.#content, hash) as readonly OfferedTool[]);
    if (tools.length === 0) return '';
    const text = JSON.stringify(tools);
    const known = this.#toolLists.get(text);
    if (known !== undefined) return known;
    const id = `t${this.#toolLists.size + 1}`;
    this.#toolLists.set(text, id);
    listed.push({ kind: 'tools', id, tools });
    return id;
  }

  #summary(event: EventOf<'compaction.end'>): readonly WrittenEntry[] {
    if (event.error !== undefined && stopped.has(event.error.code)) return [];
    const agent = this.#pathOf(event.agentId);
    const { error, usage, cost, attempts, head } = event;
    // The engine puts a paragraph, or an event heading with the request, before the summary.
    const text =
      head === undefined ? '' : (this.#content(head) ?? '').replace(/^(?:\[[^\]]*\]\n\n|## Events [^]*?\nCONTENT:\n)/, '');
    const reply: ModelReply = { text, reasoning: '', toolCalls: [], finishReason: 'stop' };
    const said = error === undefined ? { reply } : { error };
    const outcome = { ...said, usage, ...(cost === undefined ? {} : { cost }), attempts: attempts.map(withoutTimes) };
    return [{ kind: 'summary', agent, call: counted(this.#summaries, agent), ...outcome }];
  }

  #tool(event: EventOf<'tool.end'>, events: readonly CadreEvent[]): readonly WrittenEntry[] {
    const found = this.#placeOf(event);
    // Calls that never started (refused, or handled by the engine) need no entry: a replay repeats them.
    if (found?.call.startSeq === undefined || event.status === 'cancelled') return [];
    const { status, content, error, full } = event;
    const whole = full === undefined || typeof content !== 'string' ? content : (this.#content(full) ?? content);
    const entry: Writable<RecordedTool> = { kind: 'tool', ...found.place, args: found.call.args, status, content: whole };
    if (error !== undefined) entry.error = error;
    const items = itemsOf(event, events);
    if (items.length > 0) entry.items = items;
    return [entry];
  }

  #item(event: EventOf<'inbox.add'>): readonly WrittenEntry[] {
    // Items from inside the run have a cause.
    if (event.cause !== undefined) return [];
    const { source, payload, by } = event.item;
    return [{ kind: 'item', agent: this.#pathOf(event.agentId), source, payload, ...personIn(by) }];
  }

  #placeOf(event: EventOf<'tool.end' | 'tool.answer'>): { readonly place: RecordedPlace; readonly call: CallState } | undefined {
    const call = this.#run.turns.get(event.turnId)?.calls.find(({ callId }) => callId === event.callId);
    if (call === undefined) return undefined;
    const agent = this.#pathOf(event.agentId);
    return { place: { agent, call: this.#calls.get(agent) ?? 0, index: call.index, tool: call.request.name }, call };
  }

  #pathOf(agentId: CallState['request']['agentId']): string {
    const agent = this.#run.agents.get(agentId);
    return agent === undefined ? '' : callerOf(this.#run, agent).path;
  }
}

function counted(counts: Map<string, number>, agent: string): number {
  const count = (counts.get(agent) ?? 0) + 1;
  counts.set(agent, count);
  return count;
}

function outcomeOf(event: EventOf<'model.end'>): RecordedOutcome {
  const { reply, error, usage, cost, attempts } = event;
  const outcome: Writable<RecordedOutcome> = { usage, attempts: attempts.map(withoutTimes) };
  if (cost !== undefined) outcome.cost = cost;
  if (error !== undefined) return { error, ...outcome };
  return reply === undefined ? outcome : { reply: asModelReply(reply), ...outcome };
}

/** Restores the model's original reply. A replay derives the engine's additions again, including ids that are kept. */
function asModelReply({ shown: _shown, toolCalls, ...reply }: NonNullable<EventOf<'model.end'>['reply']>): ModelReply {
  return {
    ...reply,
    toolCalls: toolCalls.map(({ callId: _callId, name: _name, wireName, wireId, ...call }) => ({
      toolName: wireName,
      ...call,
      ...(wireId === undefined && { isIdOurs: true }),
    })),
  };
}

function withoutTimes(attempt: EventOf<'model.end'>['attempts'][number]): RecordedOutcome['attempts'][number] {
  const { config, model, error, partialText, usage, cost } = attempt;
  return {
    config,
    model,
    ...(error === undefined ? {} : { error }),
    ...(partialText === undefined ? {} : { partialText }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** Returns the person of a recorded input. A replay is no person: recorded again, it says what the first recording said. */
function personIn(by: string | undefined): { readonly by?: string } {
  return by === undefined || by === actors.replay ? {} : { by };
}

/** Returns the items a tool posted together with its result and because of it. */
function itemsOf(end: EventOf<'tool.end'>, events: readonly CadreEvent[]): NonNullable<RecordedTool['items']> {
  const items: { source: string; payload: JsonValue; to?: string }[] = [];
  for (let seq = end.seq + 1; ; seq += 1) {
    const event = events[seq - 1];
    if (event?.type !== 'inbox.add' || event.cause !== end.seq) return items;
    const { source, payload, from } = event.item;
    if (source === 'TOOL_RESULT' || from !== end.agentId) continue;
    items.push({ source, payload, ...(event.agentId === end.agentId ? {} : { to: event.agentId }) });
  }
}
