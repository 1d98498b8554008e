import type { CadreEvent, EventDraft, EventPlace, EventType } from '../../core/events/event.ts';
import type { CompactionEnd } from '../../core/events/context-events.ts';
import { streaks } from '../../core/profile/escalation.ts';
import type { DecidedAction } from '../../core/events/turn-events.ts';
import {
  count,
  flag,
  json,
  list,
  map,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  time,
  type Check,
  type Fields,
  type Problem,
} from './check.ts';
import {
  agentEnding,
  attempt,
  callStatus,
  capability,
  checkpoint,
  content,
  contentHash,
  errorRecord,
  profileChange,
  id,
  ids,
  inboxItem,
  limits,
  observerRecord,
  replyToolCall,
  reply,
  reserve,
  ruleRecord,
  turnInput,
  turnPrompt,
  usage,
  waitFor,
} from './part-checks.ts';
import { dispatchPatch, modulePatch, patch } from './team-checks.ts';

/** Checks an event from outside, of any type. */
export const checkEvent: Check = (event) => place(event) ?? ofType(event);

/** Checks the fields that belong to the event's type. */
function ofType(event: unknown): Problem | undefined {
  const { type } = event as { readonly type: EventType };
  return checks[type](event);
}

type Draft<Type extends EventType> = Omit<Extract<EventDraft, { readonly type: Type }>, 'type'>;

const action = record<DecidedAction>({
  type: oneOf(
    'continue_with_tool',
    'loop_with_inbox_item',
    'await_user_input',
    'end_agent_turn',
    'call_tool',
    'await',
    'retry_turn',
    'set_tool_choice',
    'limit',
  ),
  ruleId: optional(text),
  outcome: optional(text),
  error: optional(text),
  code: optional(text),
  output: optional(text),
  on: optional(list(text)),
  tools: optional(list(text)),
  toolChoice: optional(text),
  call: optional(replyToolCall),
});

const agent = { agentId: id };
const turn = { agentId: id, turnId: id };
const call = { agentId: id, turnId: id, callId: id };
const ending = { outcome: text, output: text, deliverables: map, error: optional(errorRecord) };
const compaction: Fields<Omit<CompactionEnd, 'type'>> = {
  ...agent,
  compactionId: text,
  from: count,
  to: count,
  head: optional(contentHash),
  headTokens: optional(number),
  error: optional(errorRecord),
  usage,
  cost: optional(number),
  attempts: list(attempt),
};
const noteLevel = oneOf('info', 'warning', 'error');
const stage = oneOf(1, 2);

/** Checks for the fields of each event type; the compiler rejects a missing type or field. */
const fields: { readonly [Type in EventType]: Fields<Draft<Type>> } = {
  'run.start': {
    profile: text,
    title: text,
    request: optional(map),
    requestHash: optional(text),
    input: json,
    profiles: contentHash,
    given: optional(contentHash),
    llmConfig: optional(text),
    limits,
    workspace: optional(text),
    parentRun: optional(record<{ readonly runId: string; readonly at: number }>({ runId: id, at: count })),
    engineVersion: text,
    frameSeed: optional(text),
    // Set by the importing side.
    imported: optional(json),
  },
  'run.status': { status: oneOf('running', 'awaiting'), pending: optional(count) },
  'run.resume': {
    engineVersion: text,
    downMs: number,
    frameSeed: optional(text),
    profiles: optional(contentHash),
    given: optional(contentHash),
    revoked: optional(list(count)),
  },
  'profiles.update': {
    profiles: contentHash,
    changes: list(profileChange),
    revoked: optional(list(count)),
  },
  'toolset.update': { toolset: text, tools: contentHash },
  'clock.jump': { ms: number },
  'run.title': { title: optional(text), error: optional(errorRecord), usage, cost: optional(number), attempts: list(attempt) },
  'run.end': { status: oneOf('completed', 'failed', 'cancelled'), ...ending },
  'agent.start': {
    ...agent,
    parentAgentId: optional(id),
    profile: text,
    profileType: text,
    roleName: optional(text),
    moduleId: optional(id),
    depth: count,
    initialParams: map,
    callId: optional(id),
    notify: optional(record<{ readonly agentId: string; readonly source: string }>({ agentId: id, source: text })),
    allowedToolsets: optional(list(text)),
    lastTurnId: optional(id),
    flowId: text,
    held: optional(flag),
  },
  'agent.release': agent,
  'agent.await': { ...agent, on: optional(list(text)), checkpoint: optional(checkpoint) },
  'agent.restart': { ...agent, iteration: count, initialParams: map, callId: optional(id), keepsHistory: optional(oneOf(true)) },
  'agent.end': { ...agent, ...ending },
  'limit.reach': {
    ...agent,
    stage,
    scope: oneOf('agent', 'module', 'run'),
    limit: oneOf('turns', 'tool_calls', 'tokens', 'cost_usd', 'wall_seconds', 'context'),
    used: number,
    allowed: number,
    reason: text,
  },
  'stagnation.act': {
    ...agent,
    rung: text,
    on: oneOf(...streaks),
    threshold: number,
    count: number,
    action: oneOf('nudge', 'forbid_tool', 'switch_llm_config', 'ask_human', 'end'),
    tools: optional(list(text)),
    llmConfig: optional(text),
    prompt: optional(text),
  },
  'inbox.add': { ...agent, item: inboxItem },
  'inbox.fail': { ...agent, itemId: id, error: errorRecord },
  'inbox.drop': { ...agent, itemId: id, reason: oneOf('expired', 'dead_letter', 'agent_ended') },
  'turn.start': {
    ...turn,
    turnType: oneOf('agent', 'user', 'dispatch', 'aggregation', 'restart'),
    flowId: text,
    sourceTurnIds: ids,
    sourceToolCallId: optional(id),
    inputs: list(turnInput),
    observers: list(observerRecord),
    prompt: optional(turnPrompt),
    reserve: optional(reserve),
    limit: optional(record<{ readonly stage: 1 | 2; readonly reason: string }>({ stage, reason: text })),
  },
  'model.end': {
    ...turn,
    reply: optional(reply),
    error: optional(errorRecord),
    usage,
    cost: optional(number),
    attempts: list(attempt),
  },
  'turn.decide': { ...turn, observers: list(observerRecord), rules: list(ruleRecord), action },
  'tool.request': {
    ...call,
    name: text,
    args: nullable(map),
    toolset: optional(text),
    polls: optional(flag),
    repaired: optional(flag),
  },
  'tool.start': { ...call, attempt: count },
  'tool.suspend': { ...call, on: waitFor, memo: json },
  'tool.answer': {
    ...call,
    verdict: oneOf('approved', 'rejected', 'answered'),
    value: optional(json),
    message: optional(text),
    args: optional(map),
    capability: optional(capability),
    always: optional(flag),
    standing: optional(count),
    expired: optional(flag),
  },
  'tool.verify': { ...call, by: text, answer: oneOf('happened', 'not_happened', 'unknown'), error: optional(errorRecord) },
  'tool.end': {
    ...call,
    status: callStatus,
    content,
    error: optional(errorRecord),
    full: optional(contentHash),
    quotes: optional(ids),
    cleaned: optional(count),
    end: optional(agentEnding),
    progress: optional(list(record<{ fraction: number; note: string; at: number }>({ fraction: number, note: text, at: time }))),
    ms: number,
  },
  'tool.late': { ...call, status: callStatus, content },
  'turn.end': { ...turn, status: oneOf('completed', 'error', 'cancelled', 'interrupted'), error: optional(errorRecord) },
  'context.trim': {
    ...agent,
    to: count,
    reason: oneOf('window', 'max_tokens', 'stop', 'refused', 'compaction_failed', 'nothing_kept', 'new_task'),
    head: optional(contentHash),
    headTokens: optional(number),
  },
  'compaction.start': {
    ...agent,
    compactionId: text,
    from: count,
    to: count,
    previous: optional(contentHash),
    earlier: optional(list(contentHash)),
    separate: optional(oneOf(true)),
    reason: oneOf('threshold', 'refused', 'actions', 'task_end'),
    tokens: number,
    llmConfig: text,
    instructions: contentHash,
    reserve: optional(reserve),
  },
  'compaction.end': compaction,
  'module.update': { moduleId: id, patch: modulePatch },
  'dispatch.update': { dispatchId: id, patch: dispatchPatch },
  'state.update': {
    scope: oneOf('agent', 'team'),
    agentId: optional(id),
    turnId: optional(id),
    operation: oneOf('set', 'increment', 'append', 'remove'),
    path: text,
    value: optional(json),
    by: optional(text),
  },
  'state.patch': {
    agentId: optional(id),
    turnId: optional(id),
    patches: list(patch),
    inverse: list(patch),
    by: optional(text),
    taint: optional(list(text)),
  },
  'note.add': { level: noteLevel, code: text, message: text, agentId: optional(id), turnId: optional(id) },
};

const checks = Object.fromEntries(Object.entries(fields).map(([type, of]) => [type, record(of as Fields<object>)])) as Readonly<
  Record<EventType, Check>
>;

const place = record<EventPlace & Pick<CadreEvent, 'type'>>({
  type: oneOf(...Object.keys(fields)),
  runId: id,
  seq: count,
  at: time,
  cause: optional(count),
});
