import type { CodedObserver } from '../../core/env.ts';
import type { Tool, ToolCatalog } from '../../core/tool/tool.ts';
import { combineTools } from '../../tools/tool-catalog.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import type { ToolList } from './tool-list.ts';
import type { ToolsetInstance } from './toolset-instance.ts';

/** Tools of the connecting toolsets, by toolset, as one run has them. */
export type ToolLists = ReadonlyMap<string, ToolList>;

/** Decision context of a run, with the tools that cannot be used. */
export interface SetDecisionContext {
  readonly decision: DecisionContext;
  /** One sentence for each tool left out of the catalog, by toolset. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
}

/** Tools and toolsets from which the catalogs of a profile set are built. */
export interface SetTools {
  readonly base: readonly Tool[];
  readonly toolsets: readonly ToolsetInstance[];
  readonly observers: ReadonlyMap<string, CodedObserver>;
}

/** Most decision contexts kept per profile set: one for each combination of tools its servers had. */
const mostKept = 16;

/**
 * Decision contexts of one profile set: for the same tools the same one, with one immutable catalog. Tools of connecting toolsets are those a run
 * recorded; two runs between which a server changed its tools have two catalogs.
 */
export class SetDecisionContexts {
  /** Connecting toolsets, in the order of the set. */
  readonly connecting: readonly ToolsetInstance[];
  readonly #tools: SetTools;
  readonly #make: (catalog: ToolCatalog, observers: ReadonlyMap<string, CodedObserver>) => DecisionContext;
  readonly #observers: ReadonlyMap<string, CodedObserver>;
  readonly #known: { readonly lists: readonly ToolList[]; readonly made: SetDecisionContext }[] = [];

  constructor(tools: SetTools, make: (catalog: ToolCatalog, observers: ReadonlyMap<string, CodedObserver>) => DecisionContext) {
    this.#tools = tools;
    this.#make = make;
    this.connecting = tools.toolsets.filter(({ connects }) => connects);
    // Tools from code come first, then those of toolsets in order.
    const ofToolsets = tools.toolsets.flatMap(({ observers }) => observers);
    this.#observers = new Map([...ofToolsets.toReversed().map((each) => [each.name, each] as const), ...tools.observers]);
  }

  /** Returns the decision context for these tools; a toolset without a list has the tools it has without a connection. */
  with(lists: ToolLists): SetDecisionContext {
    // By identity: tools offered again over another connection are equal but not the same.
    const wanted = this.connecting.map((instance) => lists.get(instance.name) ?? instance.initialTools);
    const known = this.#known.find((each) => each.lists.every((list, index) => list === wanted[index]));
    if (known !== undefined) return known.made;
    const toolsets = this.#tools.toolsets.map((instance) => ({
      toolset: instance.name,
      tools: (lists.get(instance.name) ?? instance.initialTools).tools,
      isConnected: instance.connects,
    }));
    const { catalog, leftOut } = combineTools(this.#tools.base, toolsets);
    const made = { decision: this.#make(catalog, this.#observers), leftOut };
    if (this.#known.length >= mostKept) this.#known.shift();
    this.#known.push({ lists: wanted, made });
    return made;
  }
}
