import type { CadreEvent, EventOf } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';
import { promptProblems, type CheckedPrompt } from '../../../src/testing/index.ts';
import type { ModelRequestRecord, World } from '../world/world.ts';
import { History } from './history.ts';

/**
 * Holds what the models were asked against the journal: a strict provider takes every request (I1), a turn that is asked
 * for again is asked for in the same words, and each prompt holds every text it must hold and none it must not (I2, I11).
 */
export function checkRequests(world: World, runId: RunId, events: readonly CadreEvent[]): void {
  const byTurn = new Map<string, ModelRequestRecord>();
  for (const request of world.requests) {
    if (request.runId !== runId) continue;
    const first = byTurn.get(request.turnId);
    // A run and its fork may ask for a turn of one name at the same moment: whose words they are is not known then.
    if (request.mayBeAnothers) continue;
    if (first === undefined) byTurn.set(request.turnId, request);
    else if (first.text !== request.text) world.violated(`${request.turnId} is asked for again in other words`);
    if (first?.text === request.text) continue;
    for (const problem of promptProblems(JSON.parse(request.text) as CheckedPrompt))
      world.violated(`I1: a strict provider refuses a request of ${request.turnId}: ${problem}`);
  }
  const histories = new Map<string, History>();
  for (const event of events) follow(world, event, histories, byTurn);
}

function follow(
  world: World,
  event: CadreEvent,
  histories: Map<string, History>,
  byTurn: ReadonlyMap<string, ModelRequestRecord>,
): void {
  switch (event.type) {
    case 'agent.restart':
      if (event.keepsHistory !== true) histories.set(event.agentId, new History());
      break;
    case 'agent.start':
      histories.set(event.agentId, new History());
      break;
    case 'turn.start': {
      const history = histories.get(event.agentId);
      history?.begin(event);
      if (history !== undefined) checkPrompt(world, event, history, byTurn.get(event.turnId));
      break;
    }
    case 'model.end':
      histories.get(event.agentId)?.answer(event);
      break;
    case 'turn.decide':
      histories.get(event.agentId)?.decide(event);
      break;
    default:
  }
}

function checkPrompt(world: World, event: EventOf<'turn.start'>, history: History, request: ModelRequestRecord | undefined): void {
  const { prompt } = event;
  if (prompt === undefined) return;
  if (prompt.to !== history.messages.length)
    world.violated(`I10: the prompt of ${event.turnId} ends with message ${prompt.to} of ${history.messages.length}`);
  if (request === undefined) return;
  const heads = [...(prompt.earlier ?? []).map(({ head }) => head), ...(prompt.head === undefined ? [] : [prompt.head])];
  const passing = event.inputs.filter(({ persistent }) => !persistent).flatMap(({ content }) => marksIn(JSON.stringify(content)));
  const expected = [
    ...heads.flatMap((hash) => marksIn(world.disk.content(hash) ?? '')),
    ...history.messages.slice(prompt.from).flatMap(({ marks }) => marks),
    ...passing,
  ].sort();
  const found = [...marksIn(request.text)].sort();
  if (expected.join() === found.join()) return;
  const missing = expected.filter((mark) => !found.includes(mark));
  const extra = found.filter((mark) => !expected.includes(mark));
  world.violated(
    `the prompt of ${event.turnId} lacks ${missing.join() || 'nothing'}, and holds ${extra.join() || 'nothing'} that it must not`,
  );
}

/** The words by which texts are found again, in the order they stand. */
function marksIn(text: string): readonly string[] {
  return text.match(/«\w\d+»/g) ?? [];
}
