import { byText } from '../by.ts';
import { contentText } from '../prompt/message.ts';
import { list, nullable, optional, record } from '../schema/records.ts';
import { count, flag, json, map, number, oneOf, text, time } from '../schema/values.ts';
import { changedText } from '../state/capability.ts';
import { agentId, content, contentHash, errorRecord } from './common-parts.ts';
import { defineEvent, type DraftOf, ofCall } from './define-event.ts';
import { describeGates } from './describe-gates.ts';
import { oneLine } from './one-line.ts';
import { agentEnding, callStatus, capability, gateRecords, waitFor } from './tool-parts.ts';

export const toolRequest = defineEvent('tool.request', {
  about: 'A tool call is recorded, before any of it runs.',
  code: 'c?',
  subject: ofCall,
  fields: {
    name: text,
    /** The parsed arguments; null when they were unusable. */
    args: nullable(map),
    /** The tool's toolset, when its name differs. */
    toolset: optional(text),
    /** The tool only polls: repeating the call is not stagnation. */
    polls: optional(flag),
    /** The argument text was repaired; only for `pure` tools. */
    repaired: optional(flag),
  },
  keys: { name: 'n', args: 'g', toolset: 's', repaired: 'r', polls: 'p' },
  describe: (event) => `${event.turnId} called ${event.name}(${oneLine(event.args)})`,
});

export const toolStart = defineEvent('tool.start', {
  about: 'A tool starts to run.',
  code: 'c<',
  subject: ofCall,
  fields: { attempt: count, gates: optional(gateRecords) },
  keys: { attempt: 'n', gates: 'g' },
  describe: ({ callId, attempt, gates }) => `call ${callId} began to run (attempt ${attempt})${describeGates(gates)}`,
});

export const toolSuspend = defineEvent('tool.suspend', {
  about: 'A call waits and holds nothing in memory.',
  code: 'cs',
  subject: ofCall,
  fields: { on: waitFor, memo: json, gates: optional(gateRecords) },
  describe: ({ callId, on, gates }) => {
    const why =
      on.kind === 'approval' && on.changed !== undefined ? `: a person is asked again, since ${changedText(on.changed)}` : '';
    return `call ${callId} waits for ${on.kind}${why}${describeGates(gates)}`;
  },
});

export const toolAnswer = defineEvent('tool.answer', {
  about: 'A call that waited for approval was decided, or a question answered: by a person, a standing approval or its expiry.',
  code: 'ca',
  subject: ofCall,
  fields: {
    verdict: oneOf('approved', 'rejected', 'answered'),
    /** The person who decided; absent: a program, a standing approval (`standing`) or the expiry (`expired`). */
    by: optional(text),
    value: optional(json),
    message: optional(text),
    /** Arguments that replace the call's own; the model is informed. */
    args: optional(map),
    /** The approved capability; the call runs only while it is unchanged. Absent in journals of earlier versions. */
    capability: optional(capability),
    /** Approves every call of this tool that the same gate asks about, until the run ends. */
    always: optional(flag),
    /** Event of the standing approval that allowed this call without asking a person. */
    standing: optional(count),
    /** The wait expired without a person's decision; the gate or the question determined the result. */
    expired: optional(flag),
    gates: optional(gateRecords),
  },
  describe: ({ verdict, callId, args, always, standing, expired, by }) => {
    if (expired === true) return `call ${callId} expired without a decision: it counts as ${verdict}`;
    if (standing !== undefined) return `call ${callId} was allowed by the standing approval of event ${standing}`;
    const edit = args === undefined ? '' : ` with ${oneLine(args)}`;
    return `${oneLine(byText(by))} ${verdict} call ${callId}${edit}${always === true ? ', and all others like it' : ''}`;
  },
});

export const toolVerify = defineEvent('tool.verify', {
  about: 'Result of checking whether an interrupted call took effect, as reported by the tool that its `verify` names.',
  code: 'cv',
  subject: ofCall,
  fields: {
    /** The tool that checked. */
    by: text,
    answer: oneOf('happened', 'not_happened', 'unknown'),
    /** Reason for `unknown`. */
    error: optional(errorRecord),
  },
  describe: ({ by, callId, answer }) => `${by} was asked whether call ${callId} happened: ${answer.replace('_', ' ')}`,
});

/** Progress that a running tool reported. */
export interface ToolProgress {
  readonly fraction: number;
  readonly note: string;
  readonly at: number;
}

export const toolEnd = defineEvent('tool.end', {
  about: 'A tool call is over. Its result item is added in the same commit.',
  code: 'c>',
  subject: ofCall,
  fields: {
    status: callStatus,
    /** The result that the model will read, before any framing. */
    content,
    error: optional(errorRecord),
    /** The full result, when `content` was cut. */
    full: optional(contentHash),
    /** Number of invisible characters removed from an untrusted result. */
    cleaned: optional(count),
    /** Unfinished agents below its own whose text is in the result. */
    quotes: optional(list(agentId)),
    /** The call ends its agent in this way, once all calls of the turn are over. */
    end: optional(agentEnding),
    /** The tool had not ended: what it did may be known later (`tool.late`), or never. */
    isRunning: optional(oneOf(true)),
    gates: optional(gateRecords),
    progress: optional(list(record<ToolProgress>({ fraction: number, note: text, at: time }))),
    ms: number,
  },
  keys: { status: 's', content: 'x', error: 'e', full: 'f', progress: 'p', ms: 'm', gates: 'g' },
  describe: ({ callId, status, content: result, gates }) =>
    `call ${callId} ended ${status}: ${oneLine(contentText(result))}${describeGates(gates)}`,
});

export const toolLate = defineEvent('tool.late', {
  about: 'A result arrived after its call was over: recorded, never delivered.',
  code: 'cl',
  subject: ofCall,
  fields: { status: callStatus, content, error: optional(errorRecord) },
  describe: ({ callId, status, content: result, error }) =>
    `a late result of call ${callId} was recorded and not delivered: ${status}: ${oneLine(error?.message ?? contentText(result))}`,
});

export type ToolRequest = DraftOf<typeof toolRequest>;
export type ToolStart = DraftOf<typeof toolStart>;
export type ToolSuspend = DraftOf<typeof toolSuspend>;
export type ToolAnswer = DraftOf<typeof toolAnswer>;
export type ToolVerify = DraftOf<typeof toolVerify>;
export type ToolEnd = DraftOf<typeof toolEnd>;
export type ToolLate = DraftOf<typeof toolLate>;
