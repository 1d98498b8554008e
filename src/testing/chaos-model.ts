import { type JsonValue, isJsonObject, type JsonObject } from '../core/json.ts';
import { scriptedModel, type ScriptedRepliesModel, type ScriptedRequest } from '../models/scripted/scripted-replies.ts';
import type { ScriptedReply, ScriptedToolCall } from '../models/scripted/scripted-reply.ts';
import { fittingValue, plainWords, spoiledValue } from './chaos-values.ts';
import { type SeededRandom, seededRandom, seedOf } from './seeded-random.ts';
import { readJson } from '../core/read-json.ts';

/** Options of a chaos model. */
export interface ChaosModelOptions {
  /** A whole number. The same seed gives the same reply to the same conversation. */
  readonly seed: number;
  /** Share of faulty replies, 0 to 1; 0.4 by default. The others call tools with valid arguments, or answer. */
  readonly faults?: number;
  /** Texts for arguments and answers, in addition to names and ids from the prompt. Tools really run with them. */
  readonly words?: readonly string[];
  /** The model's id in records; `chaos` by default. */
  readonly modelId?: string;
}

type Fault = (tools: readonly OfferedToChaos[], form: CallForm, random: SeededRandom, words: readonly string[]) => ScriptedReply;

/**
 * Creates a model that answers at random, to find what breaks a team of profiles: valid and wrong arguments of offered tools,
 * invented tools, cut JSON, blank replies, several calls at a time, cut streams and provider errors. It reads tools from the
 * request, or from the system text where calls are written as text. Its replies depend only on the seed and the conversation so
 * far, so parallel agents get the same replies in any order.
 *
 * It calls real tools with real arguments: give it a separate workspace, and a sandbox for commands.
 */
export function chaosModel(options: ChaosModelOptions): ScriptedRepliesModel {
  const { seed, faults = 0.4, words = plainWords, modelId = 'chaos' } = options;
  const asked = new Map<string, number>();
  return scriptedModel(
    (request) => {
      const conversation = conversationOf(request);
      const count = asked.get(conversation) ?? 0;
      asked.set(conversation, count + 1);
      const random = seededRandom(seedOf(seed, `${count} ${conversation}`));
      return chaoticReply(request, random, { faults, words: [...words, ...namesIn(request)] });
    },
    { modelId },
  );
}

/** Returns the basis of a reply: the agent, its tools, and its earlier replies. Excludes results, which contain varying times. */
function conversationOf(request: ScriptedRequest): string {
  const said = request.prompt.map((message) => {
    if (message.role !== 'assistant') return message.role[0];
    return message.content
      .map((part) => (part.type === 'tool-call' ? part.toolName : part.type === 'text' ? part.text : ''))
      .join();
  });
  return JSON.stringify([systemOf(request).slice(0, 200), readOffer(request).tools.map(({ name }) => name), said]);
}

/** Returns ids, names and files in a prompt, as a model would use them in calls. At most 40, the newest last. */
function namesIn({ prompt }: ScriptedRequest): readonly string[] {
  const text = prompt.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');
  const names = text.slice(-20_000).match(/\b(?:[A-Za-z]+_[A-Za-z0-9]+|[\w-]+\.(?:md|csv|txt|png))\b/g) ?? [];
  return [...new Set(names)].slice(-40);
}

function chaoticReply(
  request: ScriptedRequest,
  random: SeededRandom,
  { faults, words }: { readonly faults: number; readonly words: readonly string[] },
): ScriptedReply {
  const { tools, form } = readOffer(request);
  if (random.chance(faults)) return random.pick(allFaults)?.(tools, form, random, words) ?? {};
  const choice = request.toolChoice?.type;
  const named = request.toolChoice?.type === 'tool' ? request.toolChoice.toolName : undefined;
  const open = named === undefined ? tools : tools.filter(({ name }) => name === named);
  if (open.length === 0 || choice === 'none' || (choice === 'auto' && random.chance(0.15))) return answer(form, random, words);
  const count = random.chance(0.25) ? 2 + random.below(2) : 1;
  const calls = Array.from({ length: count }, () => random.pick(open)).flatMap((tool) =>
    tool === undefined ? [] : [{ name: tool.name, args: fittingValue(tool.schema, { random, words }) }],
  );
  return toReply(calls, form, random.chance(0.5) ? sentence(random, words) : '');
}

const allFaults: readonly Fault[] = [
  // Wrong arguments, of one call or of one among others.
  (tools, form, random, words) => {
    const tool = random.pick(tools);
    if (tool === undefined) return answer(form, random, words);
    const right = fittingValue(tool.schema, { random, words });
    const wrong = { name: tool.name, args: spoiledValue(right, random) };
    return toReply(random.chance(0.3) ? [{ name: tool.name, args: right }, wrong] : [wrong], form, '');
  },
  // A tool that does not exist.
  (tools, form, random) => {
    const like = random.pick(tools)?.name ?? 'look_up';
    const name = random.pick([`${like}_2`, like.toUpperCase(), 'do_everything', like.slice(1), ' ']) ?? like;
    return toReply([{ name, args: { task: 'all of it' } }], form, '');
  },
  // Cut or missing JSON.
  (tools, form, random, words) => {
    const tool = random.pick(tools);
    const input = JSON.stringify(tool === undefined ? {} : fittingValue(tool.schema, { random, words }));
    const cut = random.pick([input.slice(0, Math.max(1, random.below(input.length))), '', '{', `${input}}`, 'not JSON']) ?? '';
    if (form === 'native' && tool !== undefined) return { toolCalls: [{ name: tool.name, input: cut }] };
    return { text: cut, finishReason: random.chance(0.5) ? 'length' : 'stop' };
  },
  // Blank or nearly blank.
  (_tools, _form, random) => ({ text: random.pick(['', ' ', '\n\n', '\u200b']) ?? '' }),
  // Text instead of a call, and the same one again.
  (_tools, form, random, words) => (random.chance(0.5) ? { text: 'I will get to it.' } : answer(form, random, words)),
  // A provider error, usually passing.
  (_tools, _form, random) => ({ error: { status: random.pick([429, 500, 503, 529]) ?? 500, message: 'the provider is busy' } }),
  // A cut stream.
  (tools, form, random, words) => ({
    ...answer(form, random, words),
    ...(random.chance(0.3) && tools.length > 0 ? { text: '' } : {}),
    cutAfter: random.below(4),
    cutWith: random.pick(['end', 'error', 'reset'] as const) ?? 'end',
  }),
  // An unusual end.
  (_tools, form, random, words) => ({
    ...answer(form, random, words),
    finishReason: random.pick(['length', 'content-filter', 'error', 'unheard_of']) ?? 'length',
  }),
];

function answer(form: CallForm, random: SeededRandom, words: readonly string[]): ScriptedReply {
  const text = sentence(random, words);
  return form === 'json_actions' ? { text: JSON.stringify({ analysis: '', reasoning: '', actions: [], answer: text }) } : { text };
}

function sentence(random: SeededRandom, words: readonly string[]): string {
  return Array.from({ length: 1 + random.below(6) }, () => random.pick(words) ?? '').join(' ');
}

function toReply(
  calls: readonly { readonly name: string; readonly args: JsonValue }[],
  form: CallForm,
  text: string,
): ScriptedReply {
  const written = calls.map(({ name, args }) => ({ name, arguments: args }));
  switch (form) {
    case 'native':
      return { text, toolCalls: calls satisfies readonly ScriptedToolCall[] };
    case 'json_actions':
      return {
        text: JSON.stringify({ analysis: '', reasoning: text, actions: calls.map(({ name, args }) => ({ tool: name, args })) }),
      };
    case 'xml':
      return { text: [text, ...written.map((call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`)].join('\n') };
    case 'loose_json':
      return { text: `${text}\n${JSON.stringify(written.length === 1 ? written[0] : written)}` };
  }
}

/** A tool that a request offers; `schema` is the JSON Schema of its arguments. */
interface OfferedToChaos {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Form of calls: the provider's own, or a text protocol. */
type CallForm = 'native' | 'json_actions' | 'xml' | 'loose_json';

/** Reads the offered tools and the form of calls from a request's tool list, or from the section in its system text. */
function readOffer(request: ScriptedRequest): { readonly tools: readonly OfferedToChaos[]; readonly form: CallForm } {
  const listed = (request.tools ?? []).flatMap((tool) =>
    tool.type === 'function' ? [{ name: tool.name, schema: tool.inputSchema as JsonObject }] : [],
  );
  if (listed.length > 0) return { tools: listed, form: 'native' };
  const system = systemOf(request);
  if (system.includes('"actions": [{"tool"')) return { tools: readSection(system), form: 'json_actions' };
  if (system.includes('<tool_call>\n{"name"')) return { tools: readSection(system), form: 'xml' };
  if (system.includes('{"name": "the tool"')) return { tools: readSection(system), form: 'loose_json' };
  return { tools: [], form: 'native' };
}

/** Returns the system text of a request. */
function systemOf({ prompt }: ScriptedRequest): string {
  return prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
}

function readSection(system: string): readonly OfferedToChaos[] {
  const tools: OfferedToChaos[] = [];
  for (const [, name = '', text = ''] of system.matchAll(
    /^### (\S+)\n(?:(?!### )[^\n]*\n)*?Parameters \(JSON Schema\): (\{.*\})$/gm,
  )) {
    const schema: unknown = readJson(text);
    if (isJsonObject(schema)) tools.push({ name, schema });
  }
  return tools;
}
