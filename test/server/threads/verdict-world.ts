import { HttpAgent } from '@ag-ui/client';
import type { CadreEvent, Engine, Journal, Run } from '../../../src/index.ts';
import { seededRandom } from '../../../src/testing/seeded-random.ts';
import { createMemoryJournal, manualClock, type ScriptedReply } from '../../../src/testing/index.ts';
import { serve, type Served } from '../../../src/server/index.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { randomIds } from '../../../src/engine/random-ids.ts';
import { allow, tool } from '../../support/tools.ts';
import { chatClient, type TeamMessage } from '../chat/chat-client.ts';

/** One thing that happens in a world. */
export type WorldAction =
  /** A client of the chat says something. */
  | { readonly type: 'say'; readonly client: number; readonly words: number }
  /** It decides over something that it shows. */
  | { readonly type: 'decide'; readonly client: number; readonly which: number; readonly approves: boolean }
  /** A page that may have been left open decides over something that waited at some time, over HTTP. */
  | { readonly type: 'page'; readonly which: number; readonly approves: boolean }
  /** A client of AG-UI resolves an interrupt that it has seen. */
  | { readonly type: 'agUi'; readonly which: number; readonly approves: boolean }
  /** Two people decide over the same request at the same moment. */
  | { readonly type: 'both'; readonly approves: boolean; readonly other: boolean }
  /** Any request that was ever sent arrives again. */
  | { readonly type: 'resend'; readonly which: number }
  | { readonly type: 'edit'; readonly what: 'gate' | 'words'; readonly n: number }
  | { readonly type: 'cancel' }
  | { readonly type: 'fork'; readonly at: number }
  | { readonly type: 'restart' };

/** One time that a call was put before a person: identified by run, call and the number of the time, whatever its id is. */
interface Card {
  readonly runId: string;
  readonly callId: string;
  readonly time: number;
  /** Its id, as people send it. */
  readonly id: string;
  readonly shown: string;
  /** Verdicts that people gave on it while it waited, in the order of their requests; those given at once are one list. */
  readonly verdicts: ('approved' | 'rejected')[][];
}

interface Sent {
  readonly url: string;
  readonly body: string;
}

/** Payment that was made. */
interface Payment {
  readonly runId: string;
  readonly callId: string;
  readonly args: string;
}

const profile = `stagnation: off
limits: { max_turns: 200 }
${waitsForUser}${allow('pay', 'ask_human')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]
checkpoints: [{ id: often, after_turns: 4, message: Go on? }]
`;

const threadId = 'talk';

/**
 * A served team that wants to pay, the people who decide about it through every door, and a ledger. What people saw and decided is kept
 * apart from what the engine records, by run, call and number of the asking, so that the two can be held against each other.
 */
export class VerdictWorld {
  readonly paid: Payment[] = [];
  refusals = 0;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #journal = createMemoryJournal();
  readonly #clock = manualClock();
  readonly #cards: Card[] = [];
  readonly #sent: Sent[] = [];
  readonly #runs = new Set<string>();
  #engine: Engine | undefined;
  #served: Served | undefined;
  #chats: ReturnType<typeof chatClient>[] = [];
  #agent: HttpAgent | undefined;

  private constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  static async open(seed: number): Promise<VerdictWorld> {
    const world = new VerdictWorld(seed);
    await world.#start([[], []]);
    return world;
  }

  async close(): Promise<void> {
    await this.#served?.close();
    await this.#engine?.close();
  }

  async #start(messages: readonly TeamMessage[][]): Promise<void> {
    const pay = tool(
      'pay',
      (args, { runId, toolCallId }) => `paid ${this.paid.push({ runId, callId: toolCallId, args: JSON.stringify(args) })}`,
      {
        effect: 'unsafe',
      },
    );
    const { engine } = await testEngine({
      profile,
      tools: [pay],
      replies: () => this.#reply(),
      store: outliving(this.#journal),
      clock: this.#clock,
      ids: randomIds,
    });
    this.#engine = engine;
    this.#served = await serve(engine);
    const { url } = this.#served;
    const kept: typeof fetch = async (address, init) => {
      if (typeof init?.body === 'string') this.#sent.push({ url: String(address).replace(url, ''), body: init.body });
      return await fetch(address, init);
    };
    this.#chats = messages.map((known) => chatClient(url, { id: threadId, messages: known, transport: { fetch: kept } }));
    this.#agent = new HttpAgent({ url: `${url}/ag-ui`, threadId, fetch: kept as never });
  }

  /** Few words and few payments, so that equal calls come again. */
  #reply(): ScriptedReply {
    const random = this.#random;
    const payment = () => ({
      name: 'pay',
      args: { to: random.pick(['Alice', 'Mallory']) ?? '', amount: random.pick([10, 5_000]) ?? 0 },
    });
    const kind = random.below(10);
    if (kind < 5) return { toolCalls: [payment()] };
    if (kind < 7) return { toolCalls: [payment(), payment()] };
    if (kind < 8) return { toolCalls: [{ name: 'ask_human', args: { question: 'Which?', choices: ['go on', 'end'] } }] };
    return { text: 'What next?' };
  }

  async do(action: WorldAction): Promise<void> {
    switch (action.type) {
      case 'say':
        await this.say(action.client, ['Pay.', 'go on', 'end', 'What about Mallory?'][action.words % 4] ?? '');
        break;
      case 'decide':
        await this.#decideInChat(action.client, action.which, action.approves);
        break;
      case 'page':
        await this.#decideOnPage(this.#cards[action.which % Math.max(1, this.#cards.length)], action.approves);
        break;
      case 'agUi':
        await this.#decideByAgUi(action.which, action.approves);
        break;
      case 'both':
        await this.#decideAtOnce(action.approves, action.other);
        break;
      case 'resend': {
        const sent = this.#sent[action.which % Math.max(1, this.#sent.length)];
        if (sent !== undefined) await this.#post(sent.url, sent.body);
        break;
      }
      case 'edit':
        await this.#edit(action.what, action.n);
        break;
      case 'cancel':
        await this.#current()?.cancel('stop');
        break;
      case 'fork': {
        const runs = await this.#engine?.runs();
        const from = runs?.[action.at % Math.max(1, runs.length)];
        if (from !== undefined) await this.#engine?.fork(from.runId, { at: action.at % 200 }).catch(() => undefined);
        break;
      }
      case 'restart': {
        const messages = this.#chats.map((chat) => structuredClone(chat.messages));
        await this.close();
        await this.#start(messages);
        for (const { runId, status } of (await this.#engine?.runs()) ?? [])
          if (status === 'running' || status === 'awaiting') await this.#engine?.resume(runId);
      }
    }
    await this.#look();
  }

  async say(client: number, text: string): Promise<void> {
    const chat = this.#chats[client];
    if (chat === undefined) return;
    await chat.sendMessage({ text });
    this.#noteError(chat);
    await this.#look();
  }

  #noteError(chat: ReturnType<typeof chatClient>): void {
    if (chat.error === undefined) return;
    this.refusals += 1;
    chat.clearError();
  }

  async #decideInChat(client: number, which: number, approves: boolean): Promise<void> {
    const chat = this.#chats[client];
    const shown = (chat?.messages ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part] : [])),
    );
    const part = shown[which % Math.max(1, shown.length)];
    if (chat === undefined || part === undefined) return;
    const card = this.#cardShown(part.approval.id, part.toolCallId, JSON.stringify(part.input));
    this.#note(card, approves);
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: approves });
    await chat.sendMessage();
    this.#noteError(chat);
  }

  async #decideOnPage(card: Card | undefined, approves: boolean): Promise<void> {
    if (card === undefined) return;
    this.#note(card, approves);
    const url = `/api/runs/${card.runId}/${approves ? 'approve' : 'reject'}`;
    const body = JSON.stringify({ ids: [card.id] });
    this.#sent.push({ url, body });
    await this.#post(url, body);
  }

  async #decideByAgUi(which: number, approves: boolean): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return;
    if (agent.pendingInterrupts.length === 0) {
      await agent.runAgent().catch(() => (this.refusals += 1));
      return;
    }
    const asked = agent.pendingInterrupts.map(({ id, toolCallId = '', reason }) => ({ id, toolCallId, reason }));
    const resume = asked.map(({ id, toolCallId, reason }, index) => {
      if (reason !== 'tool_call') return { interruptId: id, status: 'resolved' as const, payload: 'go on' };
      const approved = index === which % asked.length ? approves : false;
      this.#note(this.#cardShown(id, toolCallId), approved);
      return { interruptId: id, status: 'resolved' as const, payload: { approved } };
    });
    await agent.runAgent({ resume }).catch(() => {
      this.refusals += 1;
      agent.pendingInterrupts = [];
    });
  }

  async #decideAtOnce(approves: boolean, other: boolean): Promise<void> {
    const card = this.#open()[0];
    if (card === undefined) return;
    card.verdicts.push([approves ? 'approved' : 'rejected', other ? 'approved' : 'rejected']);
    const send = async (verdict: boolean): Promise<void> => {
      const url = `/api/runs/${card.runId}/${verdict ? 'approve' : 'reject'}`;
      const body = JSON.stringify({ ids: [card.id] });
      this.#sent.push({ url, body });
      await this.#post(url, body);
    };
    await Promise.all([send(approves), send(other)]);
  }

  async #edit(what: 'gate' | 'words', n: number): Promise<void> {
    const gate = [{ id: 'money', tools: ['pay'], verdict: 'ask', message: `Fee ${n % 5}.` }];
    const edit = what === 'gate' ? { tool_gates: gate } : { instructions: `Work ${n % 5}.` };
    await this.#current()
      ?.updateProfiles([{ update: 'Root', with: edit }])
      .catch(() => undefined);
  }

  async #post(url: string, body: string): Promise<void> {
    const response = await fetch(`${this.#served?.url ?? ''}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.text();
    if (!response.ok) this.refusals += 1;
  }

  #live(): readonly Run[] {
    return [...this.#runs].flatMap((runId) => this.#engine?.live(runId) ?? []);
  }

  #current(): Run | undefined {
    return this.#live().findLast(({ state }) => state.outcome === undefined);
  }

  /** The cards that wait. */
  #open(): readonly Card[] {
    return this.#live().flatMap((run) =>
      run.pending.flatMap(({ id }) => this.#cards.findLast((card) => card.runId === run.id && card.id === id) ?? []),
    );
  }

  /** The card that a client shows under an id: the one that waits, when it is that, or else the last that was seen. */
  #cardShown(id: string, callId: string, shown?: string): Card | undefined {
    const isIt = (card: Card): boolean => card.id === id && card.callId === callId && (shown === undefined || card.shown === shown);
    return this.#open().find(isIt) ?? this.#cards.findLast(isIt);
  }

  /** A verdict counts for the card that a person looks at. One that does not wait any more is not changed by it. */
  #note(card: Card | undefined, approves: boolean): void {
    if (card !== undefined && this.#open().includes(card)) card.verdicts.push([approves ? 'approved' : 'rejected']);
  }

  /** Everyone looks at what waits now. */
  async #look(): Promise<void> {
    for (const { runId } of (await this.#engine?.runs()) ?? []) this.#runs.add(runId);
    for (const run of this.#live()) {
      await run.settled();
      const events = run.pending.length === 0 ? [] : await this.#journal.read(run.id);
      for (const { id, args, kind, ...request } of run.pending) {
        if (kind !== 'approval') continue;
        // Before requests named their calls, the id of a request was the id of its call.
        const { callId = id } = request as { readonly callId?: string };
        const time = waits(events, callId);
        if (this.#cards.some((card) => card.runId === run.id && card.callId === callId && card.time === time)) continue;
        this.#cards.push({ runId: run.id, callId, time, id, shown: JSON.stringify(args), verdicts: [] });
      }
    }
  }

  /** What is wrong with the ledger. */
  async problems(): Promise<readonly string[]> {
    const problems: string[] = [];
    const made = new Set<string>();
    for (const payment of this.paid) {
      const { runId, callId, args } = payment;
      const what = `${callId} of ${runId} (${args})`;
      if (made.has(`${runId} ${callId}`)) problems.push(`${what} was paid twice`);
      made.add(`${runId} ${callId}`);
      const last = this.#cards
        .filter((card) => card.runId === runId && card.callId === callId)
        .toSorted((a, b) => a.time - b.time)
        .at(-1);
      const asked = waits(await this.#journal.read(runId as never), callId);
      const [first] = last?.verdicts ?? [];
      if (last === undefined || last.time !== asked) problems.push(`${what} was paid on an asking that nobody saw`);
      else if (first?.includes('approved') !== true)
        problems.push(`${what} was paid, and its last asking ${last.id} was ${first?.join() ?? 'not decided'}`);
      else if (last.shown !== args) problems.push(`${what} was paid, and what was approved is ${last.shown}`);
    }
    return problems;
  }
}

/** Number of times that a call was put before a person for approval. */
function waits(events: readonly CadreEvent[], callId: string): number {
  return events.filter((event) => event.type === 'tool.suspend' && event.callId === callId && event.on.kind === 'approval').length;
}

/** A journal that a closed engine leaves open for the next one. */
function outliving(journal: ReturnType<typeof createMemoryJournal>): Journal {
  return {
    location: journal.location,
    acquire: (runId, owner) => journal.acquire(runId, owner),
    release: (lease) => journal.release(lease),
    append: (lease, commit) => journal.append(lease, commit),
    read: (runId, options) => journal.read(runId, options),
    content: (hash) => journal.content(hash),
    runs: (filter) => journal.runs(filter),
    close: () => undefined,
  };
}
