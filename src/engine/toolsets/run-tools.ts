import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import type { SetDecisionContext, ToolLists } from './decision-contexts.ts';
import type { ToolList } from './tool-list.ts';
import type { OfferedTools, ToolsetHold } from './toolset-hold.ts';
import type { ToolsetInstance, ToolsetChange } from './toolset-instance.ts';

/**
 * Tools that one live run decides with: a function of its profiles and of its records about connecting toolsets.
 *
 * Owns: which decision context decides an input. Does not own: the records (`note-toolset.ts`).
 * 1. A change in a toolset's offer takes effect for the run with the input that records it, and at no other moment.
 * 2. News reaches the run only from the instances it uses, not from others of the same name.
 * 3. Toolsets used before an edit of the profiles are released once no part of the run is running: calls end on the toolset they began on.
 */
export class RunTools {
  /** Tools that its toolsets offered when it began; the first input records them. */
  readonly taken: readonly OfferedTools[];
  #hold: ToolsetHold;
  #lists: ToolLists;
  #current: SetDecisionContext;
  #tell: ((input: Input) => void) | undefined;
  #stops: readonly (() => void)[] = [];

  /** Takes over the hold; the run releases it. */
  constructor(hold: ToolsetHold) {
    this.#hold = hold;
    this.taken = hold.take();
    this.#lists = listsOf(this.taken);
    this.#current = hold.source.decisions.with(this.#lists);
  }

  get decision(): DecisionContext {
    return this.#current.decision;
  }

  /** Subscribes to news from now on, including changes and failures since the tools were taken. */
  listen(tell: (input: Input) => void): void {
    this.#tell = tell;
    this.#hear(this.#hold.instances);
  }

  /** Returns the decision context for an input; undefined when the input is about a toolset that the run does not use. */
  contextFor(input: Input): DecisionContext | undefined {
    if (input.kind === 'profiles') return input.hold.source.decisions.with(listsOf(input.tools)).decision;
    if (input.kind !== 'toolset') return this.decision;
    if (!this.#hold.instances.some(({ id }) => id === input.instance)) return undefined;
    return input.tools === undefined ? this.decision : this.#with(input.toolset, input.tools).decision;
  }

  /** Adopts the profiles or tools of a decided input; `whenIdle` resolves when no part of the run is running. */
  adopt(input: Input, whenIdle: () => Promise<void>): void {
    if (input.kind === 'toolset' && input.tools !== undefined) {
      this.#current = this.#with(input.toolset, input.tools);
      this.#lists = new Map([...this.#lists, [input.toolset, input.tools]]);
      this.#tellLeftOut([input.toolset]);
    } else if (input.kind === 'profiles') {
      const before = this.#hold;
      this.#hold = input.hold.again();
      this.#lists = listsOf(input.tools);
      this.#current = this.#hold.source.decisions.with(this.#lists);
      void whenIdle().then(() => before.release());
      this.#hear(this.#hold.instances.filter((instance) => !before.instances.includes(instance)));
    }
  }

  /** Releases the toolsets when the run is over in this process; resolves when those that no other run uses are closed. */
  async release(): Promise<void> {
    this.#deafen();
    await this.#hold.release();
  }

  #with(toolset: string, tools: ToolList): SetDecisionContext {
    return this.#hold.source.decisions.with(new Map([...this.#lists, [toolset, tools]]));
  }

  #deafen(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  /** Listens to the instances; `begun` lists those that the run did not use before. */
  #hear(begun: readonly ToolsetInstance[]): void {
    const tell = this.#tell;
    if (tell === undefined) return;
    const say = (news: ToolsetChange): void => tell({ kind: 'toolset', ...news });
    this.#deafen();
    this.#stops = this.#hold.instances.map((instance) => instance.listen(say));
    for (const { name, id, tools } of this.#hold.instances)
      if (this.#lists.get(name) !== tools) say({ toolset: name, instance: id, tools, isFailure: false });
    for (const { shortcomings } of begun) for (const news of shortcomings) say(news);
    this.#tellLeftOut(begun.map(({ name }) => name));
  }

  #tellLeftOut(toolsets: readonly string[]): void {
    for (const { name, id } of this.#hold.instances) {
      if (!toolsets.includes(name)) continue;
      for (const why of this.#current.leftOut.get(name) ?? [])
        this.#tell?.({
          kind: 'toolset',
          toolset: name,
          instance: id,
          message: `a tool of '${name}' cannot be used: ${why}`,
          isFailure: true,
        });
    }
  }
}

function listsOf(taken: readonly OfferedTools[]): ToolLists {
  return new Map(taken.map(({ toolset, tools }) => [toolset, tools]));
}
