import type { ContentHash } from '../../core/ids.ts';
import type { Writable } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { RunResources } from '../effects/run-resources.ts';
import type { Resources } from '../effects/resources.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { LaunchOptions } from '../launch-options.ts';
import type { RecordedAnswers } from '../launch/recorded-answers.ts';
import type { RunTools } from '../toolsets/run-tools.ts';
import type { Input } from './input.ts';
import type { ActorPorts } from './actor-ports.ts';

/** What is special to one run among the services that it uses. */
export interface RunPortParts {
  readonly meta: RunContext['meta'];
  /** Tools of the run, with its toolsets. */
  readonly tools: RunTools;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly resources: Resources;
  /** Values for tools, given at launch. */
  readonly context: LaunchOptions['context'];
  readonly answers?: RecordedAnswers | undefined;
  /** Adopts the profiles or tools that a decided input brought. */
  readonly adopt: (input: Input) => void;
}

/** Returns the services that one run uses of its engine. */
export function runPorts(parts: EngineParts, own: RunPortParts): ActorPorts {
  const { journal, clock, gateway, functions, graceMs, replay, watch, doubles, snapshotEvery, aroundCall } = parts;
  const { tools, meta, content, context, answers } = own;
  const ports: Writable<ActorPorts> = {
    // Read several times in a turn; it changes only where an input is adopted.
    decision: tools.decision,
    contextFor: (input) => tools.contextFor(input),
    adopt: (input) => {
      own.adopt(input);
      ports.decision = tools.decision;
    },
    gateway,
    journal,
    clock,
    functions,
    content,
    context: context ?? {},
    answers,
    graceMs,
    unfinished: parts.unfinished,
    workspace: parts.workspaceOf(meta),
    live: new RunResources(meta.runId, own.resources),
    replay,
    aroundCall,
    doubles,
    loopThrottle: parts.loopThrottle,
    defer: setImmediate,
    watch,
    snapshotEvery,
  };
  return ports;
}
