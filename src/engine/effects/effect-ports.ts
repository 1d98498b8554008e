import type { Clock } from '../../core/clock.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { ModelGateway } from '../../core/model/model.ts';
import type { AroundCall } from '../../core/tool/around-call.ts';
import type { NodeFunction } from '../../nodes/turn/function-node.ts';
import type { Replay } from '../../models/replay/replay.ts';
import type { RecordedAnswers } from '../launch/recorded-answers.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import type { Doubles } from './doubles.ts';
import type { Unfinished } from './unfinished.ts';
import type { RunResources } from './run-resources.ts';

/** Services that effects use of their engine and run. */
export interface EffectPorts {
  readonly decision: DecisionContext;
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly functions: ReadonlyMap<string, NodeFunction>;
  /** Values handed to `engine.launch({ context })`, for tools. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly content: (hash: ContentHash) => string | undefined;
  /** Milliseconds that cancelled effects get to stop. */
  readonly graceMs: number;
  /** Work that writes, and must be over before the engine has closed. */
  readonly unfinished: Unfinished;
  /** Returns the run's workspace; the folder is created when a tool first asks. */
  readonly workspace: () => string;
  readonly live: RunResources;
  /** Turns of a fork that take an answer of its original instead of calling a model. */
  readonly answers?: RecordedAnswers | undefined;
  /** Runs each model and tool call. */
  readonly aroundCall?: AroundCall | undefined;
  /** Answers tool calls from a recording instead of the tools. */
  readonly replay?: Replay | undefined;
  /** Answers tool calls instead of the tools, in tests of profiles. */
  readonly doubles?: Doubles | undefined;
}
