import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/model/model.ts';
import { compileScript, type Script, type ScriptCall } from '../../core/model/script.ts';
import { createScriptView } from './script-view.ts';
import { createScriptedStream, toReplyParts } from './scripted-stream.ts';

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /** The model's id in records; `scripted` by default. */
  readonly id?: string;
  /** Real milliseconds before each part of a reply, for demonstrations. */
  readonly delayMs?: number;
  /** Converts a tool's wire name to its real one, as scripts use it; unchanged by default. */
  readonly decodeToolName?: (wireName: string) => string;
}

/**
 * Creates a model that answers by the rules of a script. It is an AI SDK model like any other and gives the same answer to the same
 * prompt; its token counts are estimates (marked as such in `usage.raw`). Throws `PROFILE_INVALID` with all problems when the
 * script is given as source and does not compile.
 */
export function createScriptedModel(script: Script | JsonObject, options: ScriptedModelOptions = {}): LanguageModelV4 {
  const { id = 'scripted', delayMs = 0, decodeToolName = (wireName) => wireName } = options;
  const compiled = isScript(script) ? script : compileOrThrow(script, id);
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: id,
    supportedUrls: { '*/*': [/^/] },
    doStream(request) {
      if (request.abortSignal?.aborted === true) return Promise.reject(request.abortSignal.reason);
      const answer = compiled.answer(createScriptView(request, decodeToolName));
      if (answer.kind === 'failure') return Promise.reject(new CadreError('MODEL_REJECTED', answer.message));
      const { text, reasoning } = answer;
      const toolCalls = answer.calls.map((call) => toWireCall(call, request, decodeToolName));
      const replyChars = toolCalls.reduce((chars, call) => chars + call.input.length, text.length + reasoning.length);
      const parts = toReplyParts({ text, reasoning, toolCalls, usage: estimateUsage(request, replyChars) });
      const stream = createScriptedStream({
        parts: parts.map(markEstimate),
        ending: { kind: 'close' },
        delayMs,
        signal: request.abortSignal,
      });
      return Promise.resolve({ stream });
    },
    doGenerate() {
      return Promise.reject(new Error('A scripted model only streams: call doStream, or streamText instead of generateText.'));
    },
  };
}

function isScript(script: Script | JsonObject): script is Script {
  return 'answer' in script && typeof script.answer === 'function';
}

function compileOrThrow(source: JsonObject, id: string): Script {
  const compiled = compileScript(source);
  if (compiled.ok) return compiled.script;
  const lines = compiled.problems.map(
    ({ path, message, hint }) => `  ${path.join('.')}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  throw new CadreError('PROFILE_INVALID', `The script of the model "${id}" has ${lines.length} problem(s):\n${lines.join('\n')}`, {
    details: { problems: compiled.problems },
  });
}

/** Converts a script's call to the wire name of the offered tool, or keeps the script's name when no such tool is offered. */
function toWireCall(
  call: ScriptCall,
  request: LanguageModelV4CallOptions,
  decodeToolName: (wireName: string) => string,
): { readonly name: string; readonly input: string } {
  const offered = request.tools?.find(({ name }) => decodeToolName(name) === call.tool);
  return { name: offered?.name ?? call.tool, input: JSON.stringify(call.args ?? {}) };
}

function markEstimate(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
  return part.type === 'finish' ? { ...part, usage: { ...part.usage, raw: { estimated: true } } } : part;
}

// Rule of thumb for English text, for models without a tokenizer.
const charsPerToken = 4;

// A message never changes and is in the prompt of every later call. Pure cache: keyed by a message.
const charsOfMessage = new WeakMap<LanguageModelV4Message, number>();

/** Estimates the tokens of a call from the characters of its prompt and reply. */
function estimateUsage(request: LanguageModelV4CallOptions, replyChars: number): Usage {
  let promptChars = 0;
  for (const message of request.prompt) promptChars += countChars(message);
  return { inputTokens: Math.ceil(promptChars / charsPerToken), outputTokens: Math.ceil(replyChars / charsPerToken) };
}

function countChars(message: LanguageModelV4Message): number {
  if (message.role === 'system') return message.content.length;
  const known = charsOfMessage.get(message);
  if (known !== undefined) return known;
  const chars = JSON.stringify(message.content).length;
  charsOfMessage.set(message, chars);
  return chars;
}
