import { note, type Converter } from './converter.ts';
import { elementKind, mapPath } from './map-path.ts';
import {
  brokenBase,
  chainText,
  fieldText,
  level,
  literalText,
  notNull,
  piece,
  unsupported,
  type Kind,
  type Piece,
} from './piece.ts';
import type { NodeOf, PythonNode, Range } from './syntax.ts';

/** Names of the context in conditions, besides `v`. */
export const contextNames: ReadonlySet<string> = new Set(['context_obj', 'context', 'ctx', 'sub_context']);

/** Returns the value at a V-path. */
export function readVPath(path: string, converter: Converter, at: Range): Piece {
  const mapped = mapPath(path, converter.ownState);
  if ('problem' in mapped) return unsupported(mapped.problem, mapped.hint, at);
  if (mapped.note !== undefined) note(converter, at, mapped.note);
  const { text, kind, nullable } = mapped;
  if (text === 'state.messages[-1]') return lastMessage(converter);
  return piece(text, level.chain, { kind, nullable });
}

/** Returns the last message. After the reply, its text is in `turn.reply`, even when it is empty. */
function lastMessage(converter: Converter): Piece {
  const text = 'state.messages[-1]';
  const replied = converter.phase === 'after_reply';
  return piece(text, level.chain, { kind: 'message', nullable: !replied, ...(replied ? { bare: 'turn' } : {}) });
}

/** Converts a loop variable or a known name. */
export function convertName(node: NodeOf<'name'>, converter: Converter): Piece {
  const local = converter.locals.get(node.name);
  if (local !== undefined) return local;
  if (contextNames.has(node.name)) return piece('state', level.chain, { kind: 'map', contextKeys: [] });
  const hint = node.name === 'v' ? "write v['state.current_action']" : "write the path, as in v['state.x']";
  return unsupported(`unknown name \`${node.name}\``, hint, node);
}

/** Converts `x['key']`, `x[0]` and `v['path']`. */
export function convertIndex(node: NodeOf<'index'>, converter: Converter): Piece {
  if (node.object.kind === 'name' && node.object.name === 'v' && !converter.locals.has('v'))
    return readAccessor(node.index, converter);
  const fallback = emptyFallback(node.object);
  const owner = converter.convert(fallback ?? node.object, converter);
  const { index } = node;
  const key = index.kind === 'minus' && index.operand.kind === 'literal' ? minus(index.operand.value) : literalOf(index);
  if (typeof key === 'string') return readKey(owner, key, { converter, at: node });
  if (typeof key === 'number' && Number.isInteger(key))
    return readItem(owner, key, { orEmpty: fallback !== undefined, converter, at: node });
  if (owner.kind !== 'map') return unsupported('a computed index', 'write x.get(key)', index);
  const dynamic = converter.convert(index, converter);
  return piece(`${chainText(owner)}[${dynamic.text}]`, level.chain, {
    guards: [...owner.guards, ...dynamic.guards, `${parenthesized(dynamic)} in ${chainText(owner)}`],
    fails: owner.fails || dynamic.fails,
    nullable: true,
  });
}

function parenthesized(of: Piece): string {
  return of.level < level.sum ? `(${of.text})` : of.text;
}

function literalOf(node: PythonNode): unknown {
  return node.kind === 'literal' ? node.value : undefined;
}

function minus(value: unknown): unknown {
  return typeof value === 'number' ? -value : undefined;
}

/** Matches `(x or [{}])`: a list whose first and last item can be read even when it is empty. Returns the list, if any. */
function emptyFallback(node: PythonNode): PythonNode | undefined {
  if (node.kind !== 'or' || node.right.kind !== 'list' || node.right.items.length !== 1) return undefined;
  const [item] = node.right.items;
  return item?.kind === 'dict' && item.entries.length === 0 ? node.left : undefined;
}

function readAccessor(index: PythonNode, converter: Converter): Piece {
  if (index.kind === 'literal' && typeof index.value === 'string') return readVPath(index.value, converter, index);
  const prefix = leftmost(index);
  const mapped = typeof prefix === 'string' && /^(?:team\.work_modules|flags|state\.flags|initial_params)\.$/.test(prefix);
  if (!mapped) return unsupported('a computed path', "begin it with 'team.work_modules.', 'flags.' or 'initial_params.'", index);
  const path = converter.convert(index, converter);
  return piece(`v[${path.text}]`, level.chain, { guards: path.guards, fails: true, nullable: true });
}

function leftmost(node: PythonNode): unknown {
  return node.kind === 'arithmetic' && node.operator === '+' ? leftmost(node.left) : literalOf(node);
}

function readKey(owner: Piece, key: string, { converter, at }: { readonly converter: Converter; readonly at: Range }): Piece {
  if (owner.contextKeys !== undefined) return contextPath([...owner.contextKeys, key], converter, at);
  const read = readField(owner, key, { converter, at });
  const guard = `${literalText(key)} in ${chainText(owner)}`;
  return {
    ...read,
    guards: [...owner.guards, ...(owner.kind === 'message' ? notNull(owner) : [guard])],
    broken: read.broken ?? null,
  };
}

/** Returns the item at an index; with `orEmpty`, an empty map when there is none. */
function readItem(
  owner: Piece,
  index: number,
  { orEmpty, converter, at }: { readonly orEmpty: boolean; readonly converter: Converter; readonly at: Range },
): Piece {
  if (owner.kind === 'map') return unsupported('a number as the key of a dict', "keys are texts in Cadre: x.get('0')", at);
  if (owner.kind === 'string') {
    const end = index === -1 ? '' : `, ${index + 1}`;
    const size = index < 0 ? `size(${chainText(owner)}) >= ${-index}` : `size(${chainText(owner)}) > ${index}`;
    return piece(`slice(${chainText(owner)}, ${index}${end})`, level.chain, { kind: 'string', guards: [...owner.guards, size] });
  }
  if (owner.kind === 'any') note(converter, at, 'the value is read as a list');
  const text = `${chainText(owner)}[${index}]`;
  const kind = elementKind(owner.kind);
  const last = text === 'state.messages[-1]' ? lastMessage(converter) : piece(text, level.chain, { kind, nullable: false });
  if (orEmpty || last.bare === 'turn') return { ...last, guards: owner.guards, fails: owner.fails, nullable: false };
  const bound = index < 0 ? `size(${chainText(owner)}) >= ${-index}` : `size(${chainText(owner)}) > ${index}`;
  return { ...last, guards: [...owner.guards, bound], fails: owner.fails, nullable: kind === 'any', broken: null };
}

/** Converts `x[a:b]`. */
export function convertSlice(node: NodeOf<'slice'>, converter: Converter): Piece {
  const owner = converter.convert(node.object, converter);
  const bounds = [node.from, node.to].map((bound) => (bound === undefined ? undefined : converter.convert(bound, converter)));
  const [from, to] = bounds;
  const texts = [chainText(owner), from?.text ?? '0', ...(to === undefined ? [] : [to.text])];
  const guards = [...owner.guards, ...notNull(owner), ...bounds.flatMap((bound) => bound?.guards ?? [])];
  const base = bounds.every((bound) => bound === undefined || bound.guards.length === 0) ? brokenBase(owner) : undefined;
  return piece(`slice(${texts.join(', ')})`, level.chain, {
    kind: owner.kind,
    guards,
    fails: owner.fails || owner.kind === 'any' || bounds.some((bound) => bound?.fails === true),
    ...(base === null ? { broken: null } : {}),
  });
}

/** Converts `x.get('key')` and `x.get('key', fallback)`. */
export function convertGet(
  owner: Piece,
  args: readonly PythonNode[],
  { converter, at }: { readonly converter: Converter; readonly at: Range },
): Piece {
  const [keyNode, fallbackNode] = args;
  if (keyNode === undefined || args.length > 2)
    return unsupported('get() takes a key and an optional fallback', "write x.get('key')", at);
  const key = literalOf(keyNode);
  if (owner.contextKeys !== undefined) {
    if (typeof key !== 'string') return unsupported('a computed key of the context', "write v['path']", keyNode);
    return contextPath([...owner.contextKeys, key], converter, at);
  }
  const read =
    typeof key === 'string' ? readField(owner, key, { converter, at: keyNode }) : readComputed(owner, keyNode, converter);
  const guards = [...owner.guards, ...notNull(owner), ...read.guards];
  return withDefault({ ...read, guards, fails: owner.fails || read.fails }, fallbackNode, converter);
}

/** Adds a fallback to a value for when it is missing. A stored None counts as missing. */
export function withDefault(read: Piece, fallbackNode: PythonNode | undefined, converter: Converter): Piece {
  const fallback = fallbackNode === undefined ? undefined : converter.convert(fallbackNode, converter);
  const broken = read.guards.length === 0 ? {} : { broken: read.broken ?? null };
  if (fallback === undefined || fallback.text === 'null') return { ...read, ...broken };
  // A value that always exists needs no fallback.
  if (!read.nullable)
    return { ...read, ...(read.guards.length === 0 || fallback.literal === undefined ? {} : { broken: fallback.literal }) };
  const value = fallback.literal;
  const isEmpty = value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  const kind = kindWith(read, fallback);
  return {
    ...read,
    text: `default(${read.text}, ${fallback.text})`,
    kind,
    guards: [...read.guards, ...fallback.guards],
    fails: read.fails || fallback.fails,
    nullable: fallback.nullable,
    ...(isEmpty ? { bare: read.bare ?? read.text } : {}),
    ...(read.guards.length === 0 || value === undefined ? {} : { broken: value }),
  };
}

/** Returns the kind of a value with a fallback: that of the fallback when its own is unknown. */
export function kindWith(read: Piece, fallback: Piece): Kind {
  if (read.kind !== 'any') return read.kind;
  return fallback.kind === 'int' ? 'number' : fallback.kind;
}

/** Returns a field; fields of messages and inbox items that differ in Cadre are read from their place there. */
function readField(owner: Piece, key: string, { converter, at }: { readonly converter: Converter; readonly at: Range }): Piece {
  const text = chainText(owner);
  if (owner.kind === 'message') {
    if (key === 'content') return messageText(owner);
    if (key === 'tool_calls') {
      note(converter, at, 'tool calls of a message are now its parts of type tool-call, with toolName and input');
      const calls = `${atItem(owner)}.content.filter(part, part.type == 'tool-call')`;
      return piece(calls, level.chain, { kind: 'list' });
    }
    if (key !== 'role') return unsupported(`messages have no ${literalText(key)} in Cadre`, 'they have role and content', at);
    return piece(`${atItem(owner)}.role`, level.chain, { kind: 'string', nullable: true });
  }
  if (owner.kind === 'item' && (key === 'metadata' || key === 'ingestor_id')) {
    const where =
      key === 'metadata'
        ? 'inbox items have no metadata in Cadre: put a mark into the payload'
        : 'inbox items name no ingestor in Cadre';
    note(converter, at, where);
  }
  const isText = owner.kind === 'item' && (key === 'source' || key === 'item_id' || key === 'consumption_policy');
  return piece(fieldText(text, key), level.chain, isText ? { kind: 'string' } : { nullable: true });
}

/** Returns the message itself, not the replacement for its text. */
function atItem(owner: Piece): string {
  return owner.bare === 'turn' ? owner.text : chainText(owner);
}

function messageText(owner: Piece): Piece {
  if (owner.bare === 'turn') return piece("default(turn.reply, '')", level.chain, { kind: 'string', bare: 'turn.reply' });
  // Texts and tool results, without reasoning and calls.
  const parts = `${chainText(owner)}.content.filter(part, part.type in ['text', 'tool-result'])`;
  const text = `join(${parts}.map(part, default(part.text, string(part.output.value))), '')`;
  return piece(text, level.chain, { kind: 'string', broken: '' });
}

function readComputed(owner: Piece, keyNode: PythonNode, converter: Converter): Piece {
  const key = converter.convert(keyNode, converter);
  return piece(`get(${chainText(owner)}, ${key.text})`, level.chain, { guards: key.guards, fails: key.fails, nullable: true });
}

/** Converts keys below the context object to paths: `context_obj.get('state', {}).get('x')`. */
function contextPath(keys: readonly string[], converter: Converter, at: Range): Piece {
  const [first, second, third, ...rest] = keys;
  if (first === 'state' || first === 'meta') {
    if (second === undefined) return piece(first, level.chain, { kind: 'map', contextKeys: keys });
    return readVPath(keys.join('.'), converter, at);
  }
  const isOpen = first === 'refs' && (second === undefined || (second === 'run' && third === undefined));
  if (isOpen) return piece('state', level.chain, { kind: 'map', contextKeys: keys });
  if (first === 'refs' && second === 'team') {
    if (third === undefined) return piece('team', level.chain, { kind: 'map', contextKeys: keys });
    return readVPath(['team', third, ...rest].join('.'), converter, at);
  }
  if (first === 'refs' && second === 'run' && third === 'meta') {
    if (rest.length === 0) return piece('run', level.chain, { kind: 'map', contextKeys: keys });
    return readVPath(['run', ...rest].join('.'), converter, at);
  }
  return unsupported(`the context has no ${literalText(keys.join('.'))} in Cadre`, 'conditions read state, meta, team and run', at);
}
