import { fieldText, type Kind, literalText } from './piece.ts';

/** Path of CommonGround as a CEL expression. */
export interface MappedPath {
  readonly text: string;
  readonly kind: Kind;
  readonly nullable: boolean;
  /** Difference in meaning. */
  readonly note?: string;
}

/** Path without a counterpart in Cadre. */
export interface UnknownPath {
  readonly problem: string;
  readonly hint: string;
}

interface Target {
  readonly text: string;
  readonly kind?: Kind;
  /** True when it always has a value. */
  readonly always?: boolean;
  readonly note?: string;
}

type Targets = Readonly<Record<string, Target | UnknownPath>>;

const nowhere = (problem: string, hint: string): UnknownPath => ({ problem, hint });
const keptAsEvents = 'turns are in the journal: `cadre turns RUN`; conditions read counters and messages';

/** Fields of an agent's state, below `state`, `principal` and `partner`. */
const stateFields: Targets = {
  messages: { text: 'messages', kind: 'messages', always: true },
  inbox: { text: 'inbox', kind: 'items', always: true },
  flags: { text: 'flags', kind: 'map', always: true },
  deliverables: { text: 'deliverables', kind: 'map', always: true },
  current_action: { text: 'current_action', kind: 'map' },
  initial_parameters: { text: 'initial_parameters', kind: 'map', always: true },
  initial_params: { text: 'initial_params', kind: 'map', always: true },
  last_turn_id: { text: 'last_turn_id' },
  current_turn_id: { text: 'current_turn_id' },
  agent_start_utc_timestamp: { text: 'agent_start_utc_timestamp', kind: 'string' },
  profiles_list_instance_ids: {
    text: 'profiles_list_instance_ids',
    kind: 'list',
    note: 'the list holds names of profiles, not ids',
  },
  allowed_toolsets: { text: 'allowed_toolsets', kind: 'list' },
  archived_messages_history: { text: 'archived_messages', kind: 'list' },
  current_iteration_count: { text: 'iteration', kind: 'int' },
  current_tool_call_id: { text: 'current_action.tool_call_id' },
  error_message: nowhere(
    "an agent's error is not part of state",
    'an agent that fails ends; rules about failed model calls read `turn.error`',
  ),
  final_result_package: nowhere("an agent's result is not part of state", 'the result of a run is `run.result`'),
};

const metaFields: Targets = {
  agent_id: { text: 'meta.agent_id', kind: 'string' },
  run_id: { text: 'meta.run_id', kind: 'string' },
  parent_agent_id: { text: 'meta.parent_agent_id' },
  module_id: { text: 'meta.module_id' },
  module_description: { text: 'team.work_modules[meta.module_id].description' },
  assigned_role_name: { text: 'meta.role_name' },
  profile_logical_name: { text: 'meta.profile', kind: 'string' },
};

const teamFields: Targets = {
  question: { text: 'team.question' },
  work_modules: { text: 'team.work_modules', kind: 'map', always: true },
  dispatch_history: { text: 'team.dispatch_history', kind: 'list', always: true },
  is_principal_flow_running: { text: 'team.is_principal_flow_running', kind: 'bool', always: true },
  profiles_list_instance_ids: { text: 'team.profiles', kind: 'list', note: 'the list holds names of profiles, not ids' },
  turns: nowhere('the team has no list of turns', keptAsEvents),
  _work_module_next_id: nowhere('the number of the next module is not available', 'use size(team.work_modules)'),
  partner_directives_queue: nowhere(
    'directives have no separate queue',
    'they are items of the inbox: inbox.exists(i, i.source == …)',
  ),
  principal_execution_sessions: nowhere(
    'sessions are not kept in state',
    'use team.is_principal_flow_running, or principal.iteration',
  ),
};

const runStatus = 'the statuses of a run are: running, awaiting, completed, failed, cancelled';

const runFields: Targets = {
  run_id: { text: 'run.run_id', kind: 'string' },
  run_type: { text: 'run.run_type', note: 'this is the name of the profile the run started with' },
  creation_timestamp: { text: 'run.created_at' },
  status: { text: 'run.status', kind: 'string', note: runStatus },
};

const actionFields: Readonly<Record<string, string>> = {
  type: 'tool_name',
  tool_name: 'tool_name',
  tool_call_id: 'tool_call_id',
  parameters: 'parameters',
};

/** First segments that hold fields, so an index after one of them has no meaning. */
const maps: ReadonlySet<string> = new Set([
  'state',
  'principal',
  'partner',
  'flags',
  'initial_params',
  'meta',
  'run',
  'team',
  '_self',
]);

/** Maps a V-path. `ownState` contains the first segments of `state` paths that observers set. */
export function mapPath(path: string, ownState: ReadonlySet<string>): MappedPath | UnknownPath {
  const steps = splitPath(path);
  const first = steps[0]?.name ?? '';
  if (first === '') return nowhere(`the path ${JSON.stringify(path)} does not start with a name`, "write v['state.x']");
  const rest = steps.slice(1);
  if (maps.has(first) && steps[0]?.indices.length !== 0) return listOf(first);
  switch (first) {
    case 'state':
    case 'principal':
    case 'partner':
      return mapState(first, rest, ownState);
    case 'flags':
      return mapFlags(rest, ownState);
    case 'initial_params':
      return read(first, rest, { kind: 'map', always: true });
    case 'meta':
      return mapFields(rest, metaFields, {
        root: 'meta',
        otherwise: (name) => unknownField('meta', name, Object.keys(metaFields)),
      });
    case 'run':
      return mapFields(rest, runFields, { root: 'run', otherwise: (name) => unknownField('run', name, Object.keys(runFields)) });
    case 'team':
      return mapFields(rest, teamFields, {
        root: 'team',
        otherwise: (name) => ({
          text: fieldText('team.shared', name),
          note: `team.${name} is now team.shared.${name}, which observers and tools set`,
        }),
      });
    case 'config':
      return nowhere('conditions cannot read the configuration of a run', 'compare meta.profile or run.run_type');
    case '_self':
      return mapSelf(rest, ownState);
    default:
      return mapState('state', steps, ownState);
  }
}

interface Step {
  readonly name: string;
  readonly indices: readonly number[];
}

/** Splits `a.b[0].c` into steps; dots inside brackets do not separate. */
function splitPath(path: string): readonly Step[] {
  return path.split(/\.(?![^[]*\])/).map((part) => {
    const [, name = '', indices = ''] = /^(.*?)((?:\[-?\d+\])*)$/s.exec(part) ?? [];
    return { name, indices: [...indices.matchAll(/-?\d+/g)].map(([digits]) => Number(digits)) };
  });
}

function read(text: string, steps: readonly Step[], target: Pick<Target, 'kind' | 'always' | 'note'>): MappedPath {
  const { kind = 'any', always = false } = target;
  const noted = target.note === undefined ? {} : { note: target.note };
  if (steps.length === 0) return { text, kind, nullable: !always, ...noted };
  const last = steps.at(-1);
  const whole = steps.reduce(
    (owner, { name, indices }) => withIndices(name === '' ? owner : fieldText(owner, name), indices),
    text,
  );
  const isElement = steps.length === 1 && last?.name === '' && last.indices.length === 1;
  return { text: whole, kind: isElement ? elementKind(kind) : 'any', nullable: true, ...noted };
}

function withIndices(text: string, indices: readonly number[]): string {
  return indices.reduce((owner, index) => `${owner}[${index}]`, text);
}

/** Returns the kind of the elements of a list. */
export function elementKind(kind: Kind): Kind {
  return kind === 'messages' ? 'message' : kind === 'items' ? 'item' : 'any';
}

function mapFields(
  steps: readonly Step[],
  fields: Targets,
  { root, otherwise }: { readonly root: string; readonly otherwise: (name: string) => Target | UnknownPath },
): MappedPath | UnknownPath {
  const [step, ...rest] = steps;
  if (step === undefined) return { text: root, kind: 'map', nullable: false };
  const found = Object.hasOwn(fields, step.name) ? fields[step.name] : undefined;
  const target = found ?? otherwise(step.name);
  if ('problem' in target) return target;
  return read(target.text, indexed(step, rest), target);
}

/** Puts the indices of a step before the steps below it. */
function indexed(step: Step, rest: readonly Step[]): readonly Step[] {
  return step.indices.length === 0 ? rest : [{ name: '', indices: step.indices }, ...rest];
}

function mapState(root: string, steps: readonly Step[], ownState: ReadonlySet<string>): MappedPath | UnknownPath {
  const [step, ...rest] = steps;
  if (step === undefined) return { text: root, kind: 'map', nullable: root !== 'state' };
  if (step.name === 'parent_agent_id' && root === 'state') return read('meta.parent_agent_id', indexed(step, rest), {});
  if (step.name === 'agent_id' && root === 'state')
    return read('meta.agent_id', indexed(step, rest), { kind: 'string', always: true });
  if (step.name === 'current_action' && step.indices.length === 0) return mapAction(`${root}.current_action`, rest);
  const found = Object.hasOwn(stateFields, step.name) ? stateFields[step.name] : undefined;
  if (found === undefined) {
    const text = fieldText(`${root}.values`, step.name);
    const isSet = ownState.has(step.name);
    const note = isSet ? {} : { note: `nothing sets state.${step.name} in Cadre; observers may set values.${step.name}` };
    return read(text, indexed(step, rest), note);
  }
  if ('problem' in found) return found;
  // The agent's own flags have a separate root.
  if (root === 'state' && step.name === 'flags') return mapFlags(indexed(step, rest), ownState);
  const always = root === 'state' && found.always === true;
  return read(`${root}.${found.text}`, indexed(step, rest), { ...found, always });
}

function mapFlags(steps: readonly Step[], ownState: ReadonlySet<string>): MappedPath {
  const [step] = steps;
  const isSet = step === undefined || ownState.has(`flags.${step.name}`);
  const note = isSet ? {} : { note: `no observer sets flags.${step.name}; docs/conditions.md lists the built-in counters` };
  return read('flags', steps, { kind: 'map', always: true, ...note });
}

/** Maps a path below the current action. Arguments of the call were beside its name; in Cadre they are below `parameters`. */
function mapAction(text: string, steps: readonly Step[]): MappedPath | UnknownPath {
  const [step, ...rest] = steps;
  if (step === undefined) return { text, kind: 'map', nullable: true };
  if (step.name === 'implementation_type')
    return nowhere('the implementation of a tool is not available', 'compare state.current_action.tool_name');
  const own = Object.hasOwn(actionFields, step.name) ? actionFields[step.name] : undefined;
  if (own !== undefined) return read(`${text}.${own}`, indexed(step, rest), own === 'parameters' ? { kind: 'map' } : {});
  return read(fieldText(`${text}.parameters`, step.name), indexed(step, rest), {});
}

function mapSelf(steps: readonly Step[], ownState: ReadonlySet<string>): MappedPath | UnknownPath {
  const names = steps.map(({ name, indices }) => name + indices.map((index) => `[${index}]`).join(''));
  const path = names.join('.');
  if (names[0] === 'state' || names[0] === 'meta') return mapPath(path, ownState);
  if (names[0] === 'refs' && names[1] === 'team') return mapPath(names.slice(1).join('.'), ownState);
  if (names[0] === 'refs' && names[1] === 'run' && names[2] === 'meta')
    return mapPath(['run', ...names.slice(3)].join('.'), ownState);
  return nowhere('the whole context is not one value in Cadre', 'name the part to read: state, meta, team, run');
}

function listOf(root: string): UnknownPath {
  return nowhere(`${root} is not a list`, `write a field of ${root}, such as ${root}.name`);
}

function unknownField(root: string, name: string, known: readonly string[]): UnknownPath {
  return nowhere(`${root} has no field ${literalText(name)} in Cadre`, `it has ${known.join(', ')}, under Cadre's names`);
}
