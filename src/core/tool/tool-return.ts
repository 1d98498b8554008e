import { CadreError } from '../error.ts';
import { isSourceName } from '../inbox/strategy.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Content } from '../prompt/message.ts';
import type { Recipe } from '../patches/state-draft.ts';

declare const mark: unique symbol;

/** An item that a tool posts with its result, to the calling agent or to the agent with the id `to`. */
export interface ReturnedItem {
  readonly source: string;
  readonly payload: JsonValue;
  readonly to?: string;
}

/** Fields of a tool return, beyond a plain value. */
export interface ToolReturnFields {
  /** Content for the model. */
  readonly content: Content;
  /** Marks the call as failed, for the model and for error counts. */
  readonly isError?: boolean;
  /** Items to post with the result. */
  readonly items?: readonly ReturnedItem[];
  /**
   * Changes state by writing to a draft, synchronously, in the commit that records the result and after `values` are set. If it
   * throws, no part of the result takes effect, and the model reads the error.
   */
  readonly update?: Recipe;
  /** Values to set in `state.values` of the calling agent, by name, for observers and segments. */
  readonly values?: JsonObject;
}

/** A result with effects, created by `toolReturn`. Values that only have the same shape do not count. */
export type ToolReturn = ToolReturnFields & { readonly [mark]: true };

const fields: ReadonlySet<string> = new Set([
  'content',
  'isError',
  'items',
  'values',
  'update',
] satisfies (keyof ToolReturnFields)[]);

// Holds no state of a run: contains the objects that code of this process made tool returns, while they live.
const marked = new WeakSet();

/**
 * Marks a tool's result as one with effects: an error, items to post, values to set, an update of state. Only code can set the
 * mark: JSON from outside is content for the model, whatever its keys.
 *
 * @throws CadreError `TOOL_INVALID` when a field is unknown or `content` is missing
 */
export function toolReturn(given: ToolReturnFields): ToolReturn {
  if (typeof given !== 'object' || given === null)
    throw new CadreError('TOOL_INVALID', 'toolReturn: pass an object { content, isError?, items?, values?, update? }');
  const unknown = Object.keys(given).filter((key) => !fields.has(key));
  if (unknown.length > 0)
    throw new CadreError('TOOL_INVALID', `toolReturn: there is no field '${unknown[0]}'; allowed: ${[...fields].join(', ')}`);
  const items: unknown = given.items ?? [];
  if (!Array.isArray(items)) throw new CadreError('TOOL_INVALID', 'toolReturn: items must be a list of { source, payload, to? }');
  if (typeof given.content !== 'string' && !Array.isArray(given.content))
    throw new CadreError(
      'TOOL_INVALID',
      `toolReturn: content must be a text or a list of content parts, not ${given.content === null ? 'null' : typeof given.content}`,
    );
  if (given.update !== undefined && typeof given.update !== 'function')
    throw new CadreError('TOOL_INVALID', `toolReturn: update must be a function (draft) => …, not ${typeof given.update}`);
  const wrong = items.findIndex((item) => !isSourceName((item as Partial<ReturnedItem> | null | undefined)?.source));
  if (wrong >= 0)
    throw new CadreError(
      'TOOL_INVALID',
      `toolReturn: items[${wrong}] needs a source: a name such as NEWS, of letters, digits and _.:- only, at most 100 characters; put texts into its payload`,
    );
  const made = Object.freeze({ ...given }) as ToolReturn;
  marked.add(made);
  return made;
}

/** True when code created this value with `toolReturn`. */
export function isToolReturn(value: unknown): value is ToolReturn {
  return typeof value === 'object' && value !== null && marked.has(value);
}
