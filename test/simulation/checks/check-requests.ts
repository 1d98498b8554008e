import type { CadreEvent, EventOf } from '../../../src/core/event.ts';
import { promptProblems, type CheckedPrompt } from '../../../src/testing/index.ts';
import type { ModelRequestRecord, World } from '../world/world.ts';

/** What an agent's prompt must hold, told from the journal alone: the words by which texts are found again, in no order. */
interface Memory {
  /** Words of the items and replies kept so far, each turn's own. */
  kept: { readonly turnId: string; readonly isReply: boolean; readonly marks: readonly string[] }[];
}

/**
 * Holds what the models were asked against the journal: a strict provider takes every request (I1), a turn that is asked
 * for again is asked for in the same words, and each prompt holds every text it must hold and none it must not (I2, I11).
 */
export function checkRequests(world: World, events: readonly CadreEvent[]): void {
  const byTurn = new Map<string, ModelRequestRecord>();
  for (const request of world.requests) {
    const first = byTurn.get(request.turnId);
    if (first === undefined) byTurn.set(request.turnId, request);
    else if (first.text !== request.text) world.violated(`${request.turnId} is asked for again in other words`);
    if (first?.text === request.text) continue;
    for (const problem of promptProblems(JSON.parse(request.text) as CheckedPrompt))
      world.violated(`I1: a strict provider refuses a request of ${request.turnId}: ${problem}`);
  }
  const memories = new Map<string, Memory>();
  for (const event of events) followMemory(world, event, memories, byTurn);
}

function followMemory(
  world: World,
  event: CadreEvent,
  memories: Map<string, Memory>,
  byTurn: ReadonlyMap<string, ModelRequestRecord>,
): void {
  switch (event.type) {
    case 'agent.restart':
      if (event.keepsHistory === true) break;
      memories.set(event.agentId, { kept: [] });
      break;
    case 'agent.start':
      memories.set(event.agentId, { kept: [] });
      break;
    case 'turn.start':
      checkPrompt(world, event, memories.get(event.agentId), byTurn.get(event.turnId));
      break;
    case 'model.end':
      memories.get(event.agentId)?.kept.push({ turnId: event.turnId, isReply: true, marks: marksIn(event.reply?.text ?? '') });
      break;
    case 'turn.decide':
      if (event.action.type === 'retry_turn') dropReply(memories.get(event.agentId), event.turnId);
      break;
    default:
  }
}

function checkPrompt(
  world: World,
  event: EventOf<'turn.start'>,
  memory: Memory | undefined,
  request: ModelRequestRecord | undefined,
): void {
  if (memory === undefined) return;
  const marksOf = (isKept: boolean): readonly string[] =>
    event.inputs.filter(({ persistent }) => persistent === isKept).flatMap(({ content }) => marksIn(JSON.stringify(content)));
  memory.kept.push({ turnId: event.turnId, isReply: false, marks: marksOf(true) });
  if (request === undefined) return;
  const expected = [...memory.kept.flatMap(({ marks }) => marks), ...marksOf(false)].sort();
  const found = [...marksIn(request.text)].sort();
  if (expected.join() === found.join()) return;
  const missing = expected.filter((mark) => !found.includes(mark));
  const extra = found.filter((mark) => !expected.includes(mark));
  world.violated(
    `the prompt of ${event.turnId} lacks ${missing.join() || 'nothing'}, and holds ${extra.join() || 'nothing'} that it must not`,
  );
}

/** The words of a reply that is tried again leave the history; calls it made would keep it there. */
function dropReply(memory: Memory | undefined, turnId: string): void {
  if (memory !== undefined) memory.kept = memory.kept.filter((entry) => !entry.isReply || entry.turnId !== turnId);
}

function marksIn(text: string): readonly string[] {
  return text.match(/«\w\d+»/g) ?? [];
}
