import { CadreError } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import { callerOf } from '../../core/state/agent-path.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Run } from '../../engine/run.ts';
import type { DecisionWatch } from '../../engine/run/decide-batch.ts';
import { toTurnRecord } from '../../inspect/turn/turn-record.ts';
import type { CaseBody, GivenReply } from '../cases/test-case.ts';
import { untilAborted } from '../../models/scripted/scripted-stream.ts';
import type { TestedProfiles, CaseDoubles, CaseEngine } from './tested-profiles.ts';
import { type PlayedTurn, spanOf, stateAfter } from './played.ts';
import { outcomeOf, scriptedTurns, type ScriptedTurn, toScripted } from './scripted-turns.ts';
import { type SeededRun, seedRun, toItem } from './seed-run.ts';
import { untilQuiet } from './until-quiet.ts';

/** Wall time of the given events. */
const givenAt = Date.UTC(2026, 0, 1, 12);

/** Plays the turn of a case: the given run, the earlier turns, and the tested one. Fails with OPTION_INVALID when it is never taken. */
export async function playTurn(
  tested: TestedProfiles,
  { given = {}, reply = '', results = [] }: CaseBody,
  profile: string,
): Promise<PlayedTurn> {
  const turns = scriptedTurns(given, replyOf(reply));
  const [first] = turns;
  const seeded = seedRun(tested, { profile, given, items: first?.items ?? [], at: givenAt });
  return await playSeeded(tested, seeded, { turns, results, at: givenAt });
}

/** Returns a reply as a map of its parts. */
export function replyOf(reply: string | GivenReply): GivenReply {
  return typeof reply === 'string' ? { text: reply } : reply;
}

/** Turns to play on a seeded run. */
export interface TurnPlan {
  readonly turns: readonly ScriptedTurn[];
  readonly results: NonNullable<CaseBody['results']>;
  /** Wall time at which the run goes on. */
  readonly at: number;
}

/** Resumes a seeded run, as the engine does after a crash, and plays the turns of its tested agent. */
export async function playSeeded(tested: TestedProfiles, seeded: SeededRun, plan: TurnPlan): Promise<PlayedTurn> {
  const play = new TurnPlay(seeded, plan);
  await using opened = await tested.engine(play.doubles, play.watch);
  await seed(opened, seeded);
  opened.clock.setWall(plan.at);
  const run = await opened.engine.resume(seeded.runId, { profiles: 'current' });
  play.begin(run);
  await untilQuiet(opened, { isDone: () => play.isDone, steps: () => play.steps });
  const turnId = play.turnIds[plan.turns.length - 1];
  if (turnId === undefined) throw play.stuck(run.state);
  const events = await opened.journal.read(seeded.runId);
  const { from, to } = spanOf(events, turnId);
  const state = stateAfter(events, to);
  const turn = state.turns.get(turnId);
  if (turn === undefined) throw new Error(`turn ${turnId} was not folded`);
  const content = (hash: Parameters<typeof opened.journal.content>[0]): string | undefined => opened.journal.content(hash);
  const record = toTurnRecord(state, turn, content, tested.set.profiles, tested.hash);
  return { set: tested.set, events: events.slice(0, to), own: events.slice(from, to), state, content, record };
}

async function seed({ journal }: CaseEngine, { runId, events, contents }: SeededRun): Promise<void> {
  const lease = await journal.acquire(runId, `${process.pid}@test#seed`);
  await journal.append(lease, { runId, expectedSeq: 0, events, contents, sync: false });
  await journal.release(lease);
}

/** The tested agent's turns while they are played. */
class TurnPlay {
  readonly #seeded: SeededRun;
  readonly #plan: TurnPlan;
  readonly #run = Promise.withResolvers<Run>();
  /** Turns of the tested agent since the run went on. */
  readonly turnIds: TurnId[] = [];
  /** Number of decisions. */
  steps = 0;
  isDone = false;

  constructor(seeded: SeededRun, plan: TurnPlan) {
    this.#seeded = seeded;
    this.#plan = plan;
  }

  begin(run: Run): void {
    this.#run.resolve(run);
  }

  readonly watch: DecisionWatch = (tx) => {
    const before = tx.events.length;
    return () => {
      this.steps += 1;
      for (const event of tx.events.slice(before)) {
        if (event.type === 'turn.start' && event.agentId === this.#seeded.agentId) this.turnIds.push(event.turnId);
      }
      this.isDone ||= this.#isOver(tx.run);
    };
  };

  /** True when the tested turn has ended, or waits for something that no test brings. */
  #isOver(run: RunContext): boolean {
    const turnId = this.turnIds[this.#plan.turns.length - 1];
    if (turnId === undefined) return false;
    const agent = run.agents.get(this.#seeded.agentId);
    if (agent?.turn.currentId !== turnId) return true;
    const open = [...agent.calls.open.values()];
    return agent.status === 'awaiting_tools' && open.length > 0 && open.every(({ status }) => status === 'suspended');
  }

  readonly doubles: CaseDoubles = {
    reply: async ({ path }, signal) => {
      const run = await this.#run.promise;
      const { agentId } = this.#seeded;
      const agent = run.state.agents.get(agentId);
      const number = this.turnIds.length;
      const turn = this.#plan.turns[number - 1];
      // Other agents, and turns after the tested one, wait until the case is over.
      if (agent === undefined || turn === undefined || callerOf(run.state, agent).path !== path) return await untilAborted(signal);
      for (const item of this.#plan.turns[number]?.items ?? []) await run.send(toSent(item), { to: agentId });
      return toScripted(turn.reply);
    },
    tool: async (_run, agent, call) => {
      const number = this.turnIds.indexOf(call.request.turnId);
      const reply = agent.meta.agentId === this.#seeded.agentId ? this.#plan.turns[number]?.reply : undefined;
      return outcomeOf(call, reply, this.#plan.results);
    },
  };

  /** Returns the error for a tested turn that was never taken. */
  stuck(run: RunContext): CadreError {
    const agent = run.agents.get(this.#seeded.agentId);
    const { length } = this.#plan.turns;
    const taken = this.turnIds.length;
    const at = length === 1 ? 'the turn' : `turn ${taken + 1} of ${length}`;
    const why =
      agent?.status === 'ended'
        ? `its agent ended before it (${agent.result.outcome ?? ''})`
        : `nothing wakes its agent, which is ${agent?.status ?? 'missing'}`;
    const hint = agent?.status === 'ended' ? 'remove the messages after its end' : 'give it an inbox item, such as { user: Hello }';
    return new CadreError('OPTION_INVALID', `${at} was never taken: ${why}; ${hint}`);
  }
}

function toSent(item: Parameters<typeof toItem>[0]): Parameters<Run['send']>[0] {
  const { source, payload, priority, ingestorId } = toItem(item);
  return {
    source,
    payload,
    ...(priority === undefined ? {} : { priority }),
    ...(ingestorId === undefined ? {} : { ingestorId }),
  };
}
