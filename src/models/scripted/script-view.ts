import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

import type { Scope } from '../../core/expression/expression.ts';
import { readJson } from '../../core/read-json.ts';

type Prompt = readonly LanguageModelV4Message[];
type DecodeName = (wireName: string) => string;

interface CallView {
  readonly tool: string;
  readonly args: unknown;
}

interface ResultView {
  readonly tool: string;
  readonly text: string;
  readonly content: string;
  readonly is_error: boolean;
  readonly data: unknown;
  readonly call_args: unknown;
}

/**
 * Creates the view of a request that scripts use (`scriptRoots`). Roots are computed on first read, so that an answer costs what
 * its rules read, independent of the history's length.
 */
export function createScriptView(request: LanguageModelV4CallOptions, decodeName: DecodeName): Scope {
  const { prompt } = request;
  const messages = once(() => prompt.map((_message, index) => viewMessage(prompt, index, decodeName)));
  const userTexts = once(() => prompt.filter((message) => message.role === 'user').map(messageText));
  const calls = once(() => prompt.flatMap((message) => viewCalls(message, decodeName)));
  const results = once(() => prompt.flatMap((_message, index) => viewResults(prompt, index, decodeName)));
  const lastResults = once(() => viewLastResults(prompt, decodeName));
  return {
    get system() {
      return prompt
        .filter((message) => message.role === 'system')
        .map((message) => message.content)
        .join('\n\n');
    },
    get messages() {
      return messages();
    },
    get last() {
      return prompt.length === 0 ? null : viewMessage(prompt, prompt.length - 1, decodeName);
    },
    get first_user() {
      const message = prompt.find(({ role }) => role === 'user');
      return message === undefined ? null : messageText(message);
    },
    get last_user() {
      const message = prompt.findLast(({ role }) => role === 'user');
      return message === undefined ? null : messageText(message);
    },
    get user_texts() {
      return userTexts();
    },
    get tools() {
      return (request.tools ?? []).map(({ name }) => decodeName(name));
    },
    get calls() {
      return calls();
    },
    get call_names() {
      return calls().map(({ tool }) => tool);
    },
    get tool_results() {
      return results();
    },
    get last_results() {
      return lastResults();
    },
    get turn() {
      let turn = 1;
      for (const { role } of prompt) if (role === 'assistant') turn += 1;
      return turn;
    },
  };
}

function viewMessage(prompt: Prompt, index: number, decodeName: DecodeName): object | null {
  const message = prompt[index];
  if (message === undefined) return null;
  return {
    role: message.role,
    get text() {
      return messageText(message);
    },
    get tool_calls() {
      return viewCalls(message, decodeName);
    },
    get tool_results() {
      return viewResults(prompt, index, decodeName);
    },
  };
}

function viewCalls(message: LanguageModelV4Message, decodeName: DecodeName): readonly CallView[] {
  if (message.role !== 'assistant') return [];
  const calls = message.content.filter((part) => part.type === 'tool-call');
  return calls.map(({ toolName, input }) => ({ tool: decodeName(toolName), args: input }));
}

function viewResults(prompt: Prompt, index: number, decodeName: DecodeName): readonly ResultView[] {
  const message = prompt[index];
  if (message?.role !== 'tool') return [];
  const results = message.content.filter((part) => part.type === 'tool-result');
  return results.map((result) => viewResult(result, decodeName, () => findCallArguments(prompt, index, result.toolCallId)));
}

/**
 * Returns the latest results: those of the newest tool message and of the tool messages before it, back to the reply they answer.
 */
function viewLastResults(prompt: Prompt, decodeName: DecodeName): readonly ResultView[] {
  let index = prompt.findLastIndex(({ role }) => role === 'tool');
  let results: readonly ResultView[] = [];
  for (; index >= 0 && prompt[index]?.role !== 'assistant'; index -= 1) {
    results = [...viewResults(prompt, index, decodeName), ...results];
  }
  return results;
}

function viewResult(result: LanguageModelV4ToolResultPart, decodeName: DecodeName, findArguments: () => unknown): ResultView {
  const text = once(() => resultText(result));
  const data = once(() => parseJson(withoutFrame(text())));
  const callArguments = once(findArguments);
  const { type } = result.output;
  return {
    tool: decodeName(result.toolName),
    is_error: type === 'error-text' || type === 'error-json' || type === 'execution-denied',
    get text() {
      return text();
    },
    get content() {
      return withoutFrame(text());
    },
    get data() {
      return data();
    },
    get call_args() {
      return callArguments();
    },
  };
}

function findCallArguments(prompt: Prompt, resultIndex: number, toolCallId: string): unknown {
  for (let index = resultIndex - 1; index >= 0; index -= 1) {
    const message = prompt[index];
    if (message?.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call' && part.toolCallId === toolCallId) return part.input;
  }
  return null;
}

function messageText(message: LanguageModelV4Message): string {
  switch (message.role) {
    case 'system':
      return message.content;
    case 'user':
      return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    case 'assistant':
      return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    case 'tool':
      return message.content.map((part) => (part.type === 'tool-result' ? resultText(part) : '')).join('\n');
  }
}

function resultText({ output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? '';
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
}

/** Removes a frame of one tag per end (`<data …>` and `</data …>`, each on its own line) around a result. */
function withoutFrame(text: string): string {
  const frame = /^<([\w-]+)[^\n]*\n([\s\S]*)\n<\/\1(?: [^\n>]*)?>\s*$/.exec(text);
  return frame?.[2] ?? text;
}

function parseJson(text: string): unknown {
  // Most results are prose: only text that begins like JSON is parsed.
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return null;
  try {
    return readJson(text);
  } catch {
    return null;
  }
}

function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}
