import type { JsonValue } from '../core/json.ts';

/** A prompt as a model receives it: messages of the AI SDK's shape. */
export type CheckedPrompt = readonly { readonly role: string; readonly content: unknown }[];

interface Part {
  readonly type: string;
  readonly text?: unknown;
  readonly toolCallId?: unknown;
  readonly callId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value: JsonValue };
}

/** Ids and names that every provider accepts; a provider's own id is sent back to it unchanged. */
const legalId = /^[a-zA-Z0-9]{9}$/;
const providersId = /^[\x21-\x7e]+$/;
const legalName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * Lists everything in a prompt that the strictest providers reject: a call without exactly one result directly after it; a result
 * without a call or with another name; an empty message or text; a system message that is not first; a prompt that does not begin
 * with the user or ends with the model; invalid ids and names. Empty for a valid prompt.
 */
export function promptProblems(prompt: CheckedPrompt): readonly string[] {
  const problems: string[] = [];
  const say = (index: number, what: string): void =>
    void problems.push(`message ${index} (${prompt[index]?.role ?? 'none'}): ${what}`);
  const used = new Set<string>();
  let open = new Map<string, string>();
  prompt.forEach(({ role, content }, index) => {
    if (role === 'system') {
      if (index > 0) say(index, 'a system message after the first');
      if (typeof content !== 'string' || content.trim() === '') say(index, 'an empty system message');
      return;
    }
    if (role !== 'tool' && open.size > 0) {
      say(index, `calls ${[...open.keys()].join(', ')} are not answered before it`);
      open = new Map();
    }
    const parts = Array.isArray(content) ? (content as readonly Part[]) : [];
    if (parts.length === 0) say(index, 'an empty message');
    for (const part of parts) {
      for (const problem of partProblems(role, part)) say(index, problem);
      const id = String(part.toolCallId);
      if (part.type === 'tool-call') {
        if (used.has(id)) say(index, `a second call with the id ${id}`);
        used.add(id);
        open.set(id, String(part.toolName));
      } else if (part.type === 'tool-result') {
        const name = open.get(id);
        if (name === undefined) say(index, `a result for ${id}, which no call directly before it has`);
        else if (name !== part.toolName) say(index, `a result of '${String(part.toolName)}' for a call to '${name}'`);
        open.delete(id);
      }
    }
  });
  if (open.size > 0) problems.push(`calls ${[...open.keys()].join(', ')} are never answered`);
  const first = prompt.findIndex(({ role }) => role !== 'system');
  if (first < 0) problems.push('there is nothing but a system message');
  else if (prompt[first]?.role !== 'user') say(first, 'the conversation does not begin with the user');
  if (prompt.at(-1)?.role === 'assistant') say(prompt.length - 1, 'the prompt ends with the model itself');
  return problems;
}

function partProblems(role: string, part: Part): readonly string[] {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    user: ['text', 'file'],
    assistant: ['text', 'file', 'reasoning', 'tool-call'],
    tool: ['tool-result'],
  };
  if (!Object.hasOwn(allowed, role)) return [`the role '${role}'`];
  if (allowed[role]?.includes(part.type) !== true) return [`a part of type ${part.type}`];
  const problems: string[] = [];
  if (part.type === 'text' && (typeof part.text !== 'string' || part.text.trim() === '')) problems.push('an empty text');
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return problems;
  if (!isLegalId(part)) problems.push(`the call id ${JSON.stringify(part.toolCallId)}`);
  if (typeof part.toolName !== 'string' || !legalName.test(part.toolName))
    problems.push(`the tool name ${JSON.stringify(part.toolName)}`);
  if (part.type === 'tool-call' && (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input)))
    problems.push('arguments that are no object');
  // An empty text is a result; a list without parts is not.
  if (
    part.type === 'tool-result' &&
    (part.output?.value === undefined || (Array.isArray(part.output.value) && part.output.value.length === 0))
  )
    problems.push('an invalid result');
  return problems;
}

/** True when an id is the engine's, or a provider's with the engine's beside it. */
function isLegalId({ toolCallId, callId }: Part): boolean {
  if (typeof toolCallId !== 'string') return false;
  return callId === undefined ? legalId.test(toolCallId) : legalId.test(String(callId)) && providersId.test(toolCallId);
}

/** Throws with everything that a strict provider would reject in any of these requests (see `promptProblems`). */
export function assertPairing(requests: readonly { readonly prompt: CheckedPrompt }[]): void {
  const refused = requests.flatMap(({ prompt }, index) =>
    promptProblems(prompt).map((problem) => `  request ${index + 1}, ${problem}`),
  );
  if (refused.length > 0) throw new Error(`a strict provider refuses these requests:\n${refused.join('\n')}`);
}
