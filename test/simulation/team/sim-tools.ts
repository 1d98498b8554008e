import type { JsonObject } from '../../../src/core/json.ts';
import { CadreError, type GivenTool, type Run, type ToolContext, toolReturn } from '../../../src/index.ts';
import { askPerson } from '../../support/ask-person.ts';
import { delegate } from '../../support/delegate.ts';
import { tool } from '../../support/tools.ts';
import { askSoon } from './ask-soon.ts';
import { effectTools, pure, repeatable, usual } from './tool-names.ts';
import type { Host } from '../process/host.ts';
import type { Execution, World } from '../world/world.ts';

/** The tools of the simulated team. They act on the world their run was launched with. */
export function simTools(): readonly GivenTool[] {
  const effects = Object.entries(effectTools).map(([name, options]) =>
    tool(name, (args, context) => perform(name, args as JsonObject, context), { ...usual, ...options }),
  );
  return [...effects, delegate, askPerson, askSoon];
}

interface Links {
  readonly world: World;
  readonly host: Host;
}

/** Does what a tool does out there, in one of the ways tools behave. */
function perform(name: string, args: JsonObject, context: ToolContext): unknown {
  const { world, host } = context.context as unknown as Links;
  if (host.state === 'dead') return new Promise(() => undefined);
  const execution = begin(world, host, name, args, context);
  const { faults, replies } = world;
  if (name === 'look_up' && isInquiry(world, execution)) return lookUp(world, execution);
  const result = name === 'finish' && args['n'] !== 3 && !faults.stopped ? new Error('not yet') : `${name} ${execution.mark}`;
  const over = (): unknown => {
    execution.isOver = true;
    if (result instanceof Error) throw result;
    execution.isSaid = true;
    if (!replies.chance(0.1)) return result;
    return toolReturn({ content: result, items: [{ source: 'NEWS', payload: `posted ${world.mark('item')}` }] });
  };
  if (faults.strikes('tool throws', 0.2)) return fail(world, execution);
  if (faults.strikes('tool returns odd values', 0.15)) return odd(world, execution);
  if (faults.strikes('tool calls back', 0.15)) return callBack(world, host.runs.get(context.runId)).then(over);
  if (faults.strikes('tool hangs', 0.1)) return untilAborted(execution);
  if (replies.chance(0.3)) return over();
  const ignoresAbort = faults.strikes('tool ignores abort', 0.15);
  if (!ignoresAbort && faults.strikes('tool answers twice', 0.15)) return twice(world, host, over);
  if (replies.chance(0.3)) context.progress(0.5, 'half');
  return wait(world, host, execution, ignoresAbort).then(over);
}

/** Notes an execution and holds it against the journal: nothing outside happens before it is on the record (I5, intent before effect). */
function begin(world: World, host: Host, name: string, args: JsonObject, context: ToolContext): Execution {
  const { toolCallId: callId, runId, attempt } = context;
  const facts = world.disk.factsOf(runId);
  if (!pure.has(name) && (facts.attempts.get(callId) ?? 0) < attempt)
    throw world.violated(`'${name}' (${callId}, attempt ${attempt}) runs before its start is in the journal`);
  if (host.state === 'alive' && facts.endedCalls.has(callId))
    throw world.violated(`'${name}' (${callId}) runs although its result is in the journal`);
  // A pure tool may have run for a reply that was lost with its process; the id is then used again.
  const before = world.executions.find((earlier) => earlier.callId === callId && earlier.runId === runId && earlier.name === name);
  const mayRepeat = repeatable.has(name) || facts.again.get(callId) === attempt;
  if (before !== undefined && !mayRepeat) throw world.violated(`I5: '${name}' (${callId}) runs a second time and must not`);
  if (before?.happened === true)
    throw world.violated(`I5: '${name}' (${callId}) runs a second time, and it was found that it had happened`);
  const mark = world.mark('result');
  const execution: Execution = {
    runId,
    callId,
    name,
    args: JSON.stringify(args),
    attempt,
    host: host.id,
    mark,
    signal: context.signal,
    isOver: false,
    isSaid: false,
    happened: undefined,
  };
  world.executions.push(execution);
  return execution;
}

/** True when the engine asks about an interrupted call, rather than a model. */
function isInquiry({ disk }: World, { runId, callId }: Execution): boolean {
  const name = disk.factsOf(runId).names.get(callId);
  return name !== undefined && name !== 'look_up';
}

/** Finds out whether a call happened, as the world has it: one that was cut off may have happened or not, and then stays so. */
function lookUp({ executions, replies, faults }: World, asking: Execution): unknown {
  asking.isOver = true;
  if (faults.strikes('tool throws', 0.2)) throw new Error('no idea');
  if (replies.chance(0.25)) return 'no idea';
  const asked = executions.find(
    ({ callId, runId, name }) => name === 'probe' && callId === asking.callId && runId === asking.runId,
  );
  if (asked === undefined) return { happened: false };
  asked.happened ??= asked.isSaid || replies.chance(0.5);
  return asked.happened ? { happened: true, result: `found ${asked.mark}` } : { happened: false };
}

function fail(world: World, execution: Execution): unknown {
  execution.isOver = true;
  const thrown: unknown = world.replies.pick([
    new Error('no'),
    'text',
    undefined,
    new CadreError('INTERNAL', 'posing as the engine'),
  ]);
  if (world.replies.chance(0.5)) return Promise.reject(thrown);
  throw thrown;
}

function odd(world: World, execution: Execution): unknown {
  execution.isOver = true;
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  return world.replies.pick([undefined, circle, 'x'.repeat(40_000), 10n, () => 1, '']);
}

async function callBack(world: World, run: Run | undefined): Promise<void> {
  const mark = world.mark('item');
  const sent = run?.send({ source: 'NEWS', payload: `called back ${mark}` });
  // Awaiting a commit from within a tool must not be a deadlock; that the run is over by now is for the tool to bear.
  await sent?.catch(() => undefined);
}

function untilAborted(execution: Execution): Promise<never> {
  return new Promise((_resolve, reject) => {
    execution.signal.addEventListener(
      'abort',
      () => {
        execution.isOver = true;
        reject(execution.signal.reason as Error);
      },
      { once: true },
    );
  });
}

function wait(world: World, host: Host, execution: Execution, ignoresAbort: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const takeBack = world.scheduler.add(host.id, execution.name, resolve);
    if (ignoresAbort) return;
    execution.signal.addEventListener(
      'abort',
      () => {
        takeBack();
        execution.isOver = true;
        reject(execution.signal.reason as Error);
      },
      { once: true },
    );
  });
}

/** Returns a thenable in the old callback style, which calls its callback a second time. */
function twice(world: World, host: Host, over: () => unknown): PromiseLike<unknown> {
  return {
    then: (resolve, reject) => {
      const deliver = (): void => {
        try {
          void resolve?.(over());
        } catch (thrown) {
          void reject?.(thrown);
        }
      };
      world.scheduler.add(host.id, 'first answer', () => {
        deliver();
        world.scheduler.add(host.id, 'second answer', deliver);
      });
      return Promise.resolve() as never;
    },
  };
}
