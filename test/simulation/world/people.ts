import type { JsonValue } from '../../../src/core/json.ts';
import type { ApproveOptions } from '../../../src/engine/input/verdicts.ts';
import type { Run } from '../../../src/index.ts';
import { Deeds } from './deeds.ts';
import { openCallsOf } from '../../../src/nodes/inbox/answer-open-calls.ts';
import type { Host } from '../process/host.ts';
import type { World } from './world.ts';

/** Codes for what comes too late (a call may have been asked about again meanwhile), or to a process that is gone. */
const late: ReadonlySet<string> = new Set(['RUN_ENDED', 'AGENT_ENDED', 'PENDING_UNKNOWN', 'APPROVAL_CHANGED']);
const gone: ReadonlySet<string> = new Set(['ENGINE_CLOSED', 'STORE_FAILED', 'STORE_CONFLICT']);

/**
 * The people outside: they send, decide, and cancel. What the engine acknowledged to them is held against the journal at
 * that very moment.
 */
export class People {
  readonly #world: World;
  /** Calls that were made and not answered yet, by those who still wait. */
  readonly waiting = new Set<string>();
  readonly #runs: Deeds;
  /** Requests that people have seen, of all runs. */
  readonly #seen = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#runs = new Deeds(world);
  }

  /** Does one thing at random to a run, or two things in one breath. */
  act(host: Host): void {
    this.#actOnce(host);
    if (this.#world.people.chance(0.3)) this.#actOnce(host);
  }

  #actOnce(host: Host): void {
    const { people, faults } = this.#world;
    const run = people.pick([...host.runs.values()]);
    const kind = people.int(10);
    const hasStanding = run.state.standing.length > 0;
    const busy = busyBelowOthers(run);
    // Their callers may call them again, and then they have unanswered calls.
    if (busy.length > 0 && people.chance(0.2) && faults.strikes('agent cancelled', 0.8))
      return this.cancel(host, run, people.pick(busy));
    if (hasStanding && people.chance(0.2)) return this.#runs.fork(host, run);
    if (kind === 0 && people.chance(0.4)) this.#edit(host, run);
    else if (kind === 0 && people.chance(0.8)) this.#runs.act(host, run);
    else if (kind < 5) this.#send(host, run);
    else if (kind < 8) {
      this.decide(host, run);
      // Two people decide simultaneously: the second must get an error.
      if (people.chance(0.3)) this.decide(host, run);
    } else if (kind === 8 && faults.strikes('agent cancelled', 0.8))
      this.cancel(host, run, people.pick([...run.state.agents.keys()]));
    else if (kind === 9 && faults.strikes('run cancelled', 0.5)) this.cancel(host, run, undefined);
    else if (kind === 9 && faults.strikes('launch aborted', 0.3)) host.abort.abort();
  }

  /**
   * Answers one wait that remains when everything else is at rest; false when none does. Waits that expire without a person
   * have expired by then.
   */
  decideLast(host: Host): boolean {
    const run = [...host.runs.values()].find(({ pending }) => pending.length > 0);
    if (run === undefined) return false;
    const late = run.pending.find(({ expiresAt }) => expiresAt !== undefined);
    if (late !== undefined)
      throw this.#world.violated(
        `T4: ${late.id} of ${run.id} waits, although it expired at ${late.expiresAt ?? 0}: nothing will wake it`,
      );
    this.decide(host, run);
    return true;
  }

  /** Answers something that waits for a person; in the end, and often before. */
  decide(host: Host, run: Run): void {
    const { people } = this.#world;
    if (run.pending.length === 0) return;
    this.#decideOld(run);
    const request = people.pick(run.pending);
    const { callId = '' } = request;
    const facts = this.#world.disk.factsOf(run.id);
    if (request.kind === 'question' && request.tool === '') {
      const agentId = request.agentId;
      const isHeard = (): boolean => facts.spokenTo.has(agentId) || facts.endedAgents.has(agentId);
      const work = run.answer(request.id, people.chance(0.7) ? 'go on' : 'end');
      return this.#expect(host, `the answer at ${request.id}`, work, isHeard);
    }
    if (request.kind === 'question') {
      const choices = request.schema?.['enum'];
      const answer: JsonValue = Array.isArray(choices) ? people.pick(choices) : { said: 'yes' };
      return this.#expect(host, `the answer to ${request.id}`, run.answer(request.id, answer), () => facts.verdicts.has(callId));
    }
    const verdict = people.chance(0.6) ? 'approved' : 'rejected';
    const work = verdict === 'approved' ? run.approve(request.id, this.#howApproved()) : run.reject(request.id, { message: 'No.' });
    this.#expect(host, `that ${request.id} was ${verdict}`, work, () => facts.verdicts.get(callId)?.has(verdict) === true);
  }

  /** Decides over a request that was seen before, in any run, and that does not wait here: a page that was left open. It must decide nothing. */
  #decideOld(run: Run): void {
    const { people } = this.#world;
    for (const { id } of run.pending) this.#seen.add(id);
    if (!people.chance(0.2)) return;
    const id = people.pick([...this.#seen]);
    if (run.pending.some((request) => request.id === id)) return;
    const work = people.chance(0.5) ? run.approve(id) : people.chance(0.5) ? run.reject(id) : run.answer(id, 'go on');
    work.then(
      () => this.#world.violated(`T6: a verdict on ${id}, which does not wait in ${run.id}, was taken for another request`),
      () => undefined,
    );
  }

  /** As it is, once and for all, or with other arguments. */
  #howApproved(): ApproveOptions {
    const { people } = this.#world;
    const kind = people.int(5);
    return kind < 2 ? { always: true } : kind === 2 ? { args: { n: people.int(4) } } : {};
  }

  /** Cancels the run, or one agent and everything below it. */
  cancel(host: Host, run: Run, agentId: string | undefined): void {
    const facts = this.#world.disk.factsOf(run.id);
    const isOver = (): boolean => (agentId === undefined ? facts.isOver : facts.endedAgents.has(agentId));
    const work = run.cancel('by chance', agentId === undefined ? {} : { agentId });
    this.#expect(host, `the cancelling of ${agentId ?? 'the run'}`, work, isOver, () => this.#checkStopped(host, run, agentId));
  }

  /** Changes the plan, or keeps a note for the agents. */
  #edit(host: Host, run: Run): void {
    const { people } = this.#world;
    const facts = this.#world.disk.factsOf(run.id);
    const mark = this.#world.mark('note');
    const work = people.chance(0.5)
      ? run.updateModules([{ action: 'create', name: mark, description: 'By hand.' }])
      : run.note({ title: mark, content: 'Kept.' });
    this.#expect(host, `the edit ${mark}`, work, () => facts.edits.has(mark));
  }

  #send(host: Host, run: Run): void {
    const { people, faults } = this.#world;
    const isBad = faults.strikes('ingestor throws', 0.2);
    const source = isBad ? 'BAD' : people.pick(['USER_PROMPT', 'NEWS', 'SELF_REFLECTION_PROMPT', 'INTERNAL_DIRECTIVE']);
    const stays = people.chance(0.15);
    const mark = this.#world.mark(source === 'SELF_REFLECTION_PROMPT' && !stays ? 'ephemeral' : 'item');
    const item = {
      source,
      payload: { prompt: mark, content: mark },
      ...(stays ? { consumption: 'persistent_until_consumed' as const, maxTurns: 2 } : {}),
    };
    const to = people.pick([...run.state.agents.keys()]);
    const priority = people.pick(['now', 'next', 'next', 'idle'] as const);
    const facts = this.#world.disk.factsOf(run.id);
    let itemId = '';
    const work = run.send(item, { to, priority }).then((receipt) => {
      itemId = receipt.itemId;
    });
    this.#expect(host, `the item ${mark}`, work, () => facts.items.has(itemId));
  }

  #expect(host: Host, what: string, work: Promise<unknown>, isDurable: () => boolean, then?: () => void): void {
    const key = `${what} (process ${host.id})`;
    this.waiting.add(key);
    work.then(
      () => {
        this.waiting.delete(key);
        if (!isDurable()) this.#world.violated(`T1: ${what} was acknowledged and is not in the journal`);
        then?.();
      },
      (error: unknown) => {
        this.waiting.delete(key);
        const { code = '' } = error as { readonly code?: string };
        if (late.has(code)) this.#world.faults.count('too late');
        else if (!gone.has(code)) this.#world.violated(`${what} was refused with ${String(error)}`);
      },
    );
  }

  /** Checks I9: once a cancel resolves, no model call or tool that it cancelled still runs, unless it ignores its signal. */
  #checkStopped(host: Host, run: Run, agentId: string | undefined): void {
    const { requests, executions } = this.#world;
    const isMine = (turnOrCall: { readonly host: number; readonly runId: string }): boolean =>
      turnOrCall.host === host.id && turnOrCall.runId === run.id;
    if (agentId !== undefined) return;
    for (const request of requests)
      if (isMine(request) && !request.mayBeAnothers && !request.isOver && request.signal?.aborted !== true)
        this.#world.violated(`I9: the run is cancelled, and the model call of ${request.turnId} goes on`);
    for (const execution of executions)
      if (isMine(execution) && !execution.isOver && !execution.signal.aborted)
        this.#world.violated(`I9: the run is cancelled, and ${execution.name} (${execution.callId}) was not told to stop`);
  }
}

/** Agents in the middle of their calls that another agent has called. */
function busyBelowOthers(run: Run): readonly string[] {
  const agents = [...run.state.agents.values()];
  return agents
    .filter(
      (agent) => agent.result.outcome === undefined && agent.meta.parentAgentId !== undefined && openCallsOf(agent).length > 0,
    )
    .map(({ meta }) => meta.agentId);
}
