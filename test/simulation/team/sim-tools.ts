import type { JsonObject } from '../../../src/core/json.ts';
import { CadreError, type ToolContext } from '../../../src/index.ts';
import { askPerson } from '../../support/ask-person.ts';
import { delegate } from '../../support/delegate.ts';
import { tool } from '../../support/tools.ts';
import { effectTools, repeatable, usual } from './tool-names.ts';
import type { Host } from '../process/host.ts';
import type { Execution, World } from '../world/world.ts';

/** The tools of the simulated team. They act on the world their run was launched with. */
export function simTools(): readonly unknown[] {
  const effects = Object.entries(effectTools).map(([name, options]) =>
    tool(name, (args, context) => perform(name, args as JsonObject, context), { ...usual, ...options }),
  );
  return [...effects, delegate, askPerson];
}

interface Links {
  readonly world: World;
  readonly host: Host;
}

/** Does what a tool does out there, in one of the ways tools behave. */
function perform(name: string, args: JsonObject, context: ToolContext): unknown {
  const { world, host } = context.context as unknown as Links;
  if (host.state === 'dead') return new Promise(() => undefined);
  const execution = begin(world, host, name, context);
  const { faults, replies } = world;
  const result = name === 'finish' && args['n'] !== 3 && !faults.stopped ? new Error('not yet') : `${name} ${execution.mark}`;
  const over = (): unknown => {
    execution.isOver = true;
    if (result instanceof Error) throw result;
    execution.isSaid = true;
    return replies.chance(0.1) ? { content: result, items: [{ source: 'NEWS', payload: `posted ${world.mark('item')}` }] } : result;
  };
  if (faults.strikes('tool throws', 0.2)) return fail(world, execution);
  if (faults.strikes('tool returns odd values', 0.15)) return odd(world, execution);
  if (faults.strikes('tool calls back', 0.15)) return callBack(world, host).then(over);
  if (faults.strikes('tool hangs', 0.1)) return untilAborted(execution);
  if (replies.chance(0.3)) return over();
  const ignoresAbort = faults.strikes('tool ignores abort', 0.15);
  if (!ignoresAbort && faults.strikes('tool answers twice', 0.15)) return twice(world, host, over);
  if (replies.chance(0.3)) context.progress(0.5, 'half');
  return wait(world, host, execution, ignoresAbort).then(over);
}

/** Notes an execution and holds it against the journal: nothing outside happens before it is on the record (I5, intent before effect). */
function begin(world: World, host: Host, name: string, context: ToolContext): Execution {
  const { toolCallId: callId, runId, attempt } = context;
  const facts = world.disk.factsOf(runId);
  if (name !== 'fetch' && (facts.attempts.get(callId) ?? 0) < attempt)
    throw world.violated(`'${name}' (${callId}, attempt ${attempt}) runs before its start is in the journal`);
  if (host.state === 'alive' && facts.endedCalls.has(callId))
    throw world.violated(`'${name}' (${callId}) runs although its result is in the journal`);
  // A pure tool may have run for a reply that was lost with its process; the id is given anew.
  const ran = world.executions.some((earlier) => earlier.callId === callId && earlier.runId === runId && earlier.name === name);
  if (ran && !repeatable.has(name)) throw world.violated(`I5: '${name}' (${callId}) runs a second time and must not`);
  const mark = world.mark('result');
  const execution: Execution = {
    runId,
    callId,
    name,
    attempt,
    host: host.id,
    mark,
    signal: context.signal,
    isOver: false,
    isSaid: false,
  };
  world.executions.push(execution);
  return execution;
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

async function callBack(world: World, host: Host): Promise<void> {
  const mark = world.mark('item');
  const sent = host.run?.send({ source: 'NEWS', payload: `called back ${mark}` });
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

/** A result in the callback style of old: whoever waits is called a second time. */
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
