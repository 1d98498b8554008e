import { CadreError } from '../error.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { Recipe } from '../patches/state-draft.ts';

declare const mark: unique symbol;

/** An item that a tool posts along with its result: to the agent that called, or to the agent with the id `to`. */
export interface ReturnedItem {
  readonly source: string;
  readonly payload: JsonValue;
  readonly to?: string;
}

/** What a tool may say beyond a plain value. */
export interface ToolReturnFields {
  /** What the model reads. */
  readonly content: Content;
  /** The call failed: the model is told so, and it counts as an error. */
  readonly isError?: boolean;
  /** Items to post along with the result. */
  readonly items?: readonly ReturnedItem[];
  /**
   * Changes state by writing to a draft, at once, in the commit that records the result; `values` are set before it. When it throws, no part of
   * the result takes effect, and the model reads why.
   */
  readonly update?: Recipe;
  /** Values to set in `state.values` of the agent that called, by name: what observers and segments read later. */
  readonly values?: JsonObject;
}

/** A result with effects, as `toolReturn` makes it. No value that only has the same shape is one. */
export type ToolReturn = ToolReturnFields & { readonly [mark]: true };

const fields: ReadonlySet<string> = new Set([
  'content',
  'isError',
  'items',
  'values',
  'update',
] satisfies (keyof ToolReturnFields)[]);

// Holds no state of a run: an object is in it because code of this process made it a tool return, and stays in it as long as it lives.
const marked = new WeakSet();

/**
 * Marks what a tool returns as having effects: an error, items to post, values to set, an update of state. The mark is made in code alone: JSON that
 * came from outside is content for the model, whatever its keys are called.
 *
 * @throws CadreError `TOOL_INVALID` when a field is unknown or `content` is missing
 */
export function toolReturn(given: ToolReturnFields): ToolReturn {
  if (typeof given !== 'object' || given === null)
    throw new CadreError('TOOL_INVALID', 'toolReturn: pass an object { content, isError?, items?, values?, update? }');
  const unknown = Object.keys(given).filter((key) => !fields.has(key));
  if (unknown.length > 0)
    throw new CadreError('TOOL_INVALID', `toolReturn: there is no field '${unknown[0]}'; allowed: ${[...fields].join(', ')}`);
  if (typeof given.content !== 'string' && !Array.isArray(given.content))
    throw new CadreError(
      'TOOL_INVALID',
      `toolReturn: content must be a text or a list of content parts, not ${given.content === null ? 'null' : typeof given.content}`,
    );
  if (given.update !== undefined && typeof given.update !== 'function')
    throw new CadreError('TOOL_INVALID', `toolReturn: update must be a function (draft) => …, not ${typeof given.update}`);
  const made = Object.freeze({ ...given }) as ToolReturn;
  marked.add(made);
  return made;
}

/** Tells whether code made this value a tool return. */
export function isToolReturn(value: unknown): value is ToolReturn {
  return typeof value === 'object' && value !== null && marked.has(value);
}
