import { CadreError } from '../../core/error.ts';
import type { Effect } from '../../core/events/transaction.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { Input } from '../run/input.ts';

/** What a field of a message must be; with `?` it may be absent. */
type FieldKind = 'text' | 'number' | 'flag' | 'list' | 'value';
type Field = FieldKind | `${FieldKind}?` | Shape;

/** Fields of a message or of a part of it. Those that are not named may be anything: a later version may add some. */
interface Shape {
  readonly [field: string]: Field;
}

/** Kinds of inputs that engines send one another. */
export type SentKind = Exclude<Input['kind'], 'start' | 'toolset'>;

const outcome: Shape = { status: 'text', progress: 'list' };
const modelOutcome: Shape = { kind: 'text', usage: {}, attempts: 'list' };
const call: Shape = { agentId: 'text', turnId: 'text', callId: 'text' };

/** Fields of inputs that a decision reads without looking at their type. */
export const inputShapes: Readonly<Record<SentKind, Shape>> = {
  post: { to: 'text', item: { source: 'text', payload: 'value', by: 'text?' }, isOnce: 'flag?' },
  model: { agentId: 'text', turnId: 'text', outcome: modelOutcome },
  attempt: { agentId: 'text', call: 'text', made: 'list', promptTokens: 'number', config: { name: 'text' }, received: 'number?' },
  charge: { agentId: 'text?', call: 'text', made: 'list' },
  compaction: { agentId: 'text', compactionId: 'text', outcome: modelOutcome },
  title: { outcome: modelOutcome },
  tool: { ...call, outcome },
  verify: { ...call, by: 'text', outcome },
  lost: { agentId: 'text', callId: 'text', attempt: 'number' },
  answer: { asking: 'text', verdict: 'text', always: 'flag?', fingerprint: 'text?', message: 'text?', by: 'text?' },
  cancel: { reason: 'text', agentId: 'text?', moduleId: 'text?', by: 'text?' },
  recover: { engineVersion: 'text', notes: 'list?', texts: 'list?', edits: 'list?', frameSeed: 'text?', by: 'text?' },
  settle: { agentIds: 'list' },
  timer: { deadlines: 'list' },
  clock: { jumpMs: 'number' },
  keep_note: { note: { title: 'text', content: 'text', agent: 'text?' }, by: 'text?' },
  profiles: { files: 'text', changes: 'list', before: 'text', by: 'text?' },
  modules: { actions: 'list', by: 'text?' },
  fail: { error: { code: 'text', message: 'text' } },
  note: { level: 'text', code: 'text', message: 'text' },
};

/** Fields of effects on their way. */
export const effectShapes: Readonly<Record<Exclude<Effect['kind'], 'interrupt' | 'stop'>, Shape>> = {
  model: { agentId: 'text', turnId: 'text', cause: 'number' },
  compaction: { agentId: 'text', compactionId: 'text', cause: 'number' },
  title: { cause: 'number' },
  tool: { ...call, pure: 'flag?', cause: 'number' },
  verify: { ...call, by: 'text', cause: 'number' },
};

/**
 * Throws WORKER_LACKS unless a message is of a known kind and has the fields of its kind: only another version of Cadre can have sent it, and a
 * worker of that one takes it. `what` names the message.
 */
export function assertShape(what: string, sent: JsonObject, shapes: Readonly<Record<string, Shape>>): void {
  const { kind } = sent;
  const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (shape === undefined)
    throw new CadreError('WORKER_LACKS', `${what} is of a kind that this version of Cadre does not know: ${JSON.stringify(kind)}`);
  const problem = problemIn(sent, shape);
  if (problem === undefined) return;
  throw new CadreError(
    'WORKER_LACKS',
    `${what} of kind '${String(kind)}' cannot be read by this version of Cadre: ${problem}. Start workers of the version that sent it`,
  );
}

/** Returns what is wrong with the first field that does not fit. */
function problemIn(value: JsonObject, shape: Shape, path = ''): string | undefined {
  for (const [name, field] of Object.entries(shape)) {
    const found: unknown = value[name];
    const where = `${path}${name}`;
    if (typeof field !== 'string') {
      if (!isJsonObject(found)) return `'${where}' must be an object, not ${describe(found)}`;
      const problem = problemIn(found, field, `${where}.`);
      if (problem !== undefined) return problem;
      continue;
    }
    const isOptional = field.endsWith('?');
    const kind = (isOptional ? field.slice(0, -1) : field) as FieldKind;
    if (!(isOptional && found === undefined) && !fits[kind](found))
      return `'${where}' must be ${names[kind]}, not ${describe(found)}`;
  }
  return undefined;
}

const fits: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value),
  value: (value) => value !== undefined,
};

const names: Readonly<Record<FieldKind, string>> = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  list: 'a list',
  value: 'there',
};

function describe(value: unknown): string {
  return value === undefined ? 'absent' : (JSON.stringify(value) ?? typeof value).slice(0, 80);
}
