import type { AgentId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { StateTaint } from '../untrusted/taint.ts';
import type { DispatchRecord, WorkModule } from '../team/work-module.ts';

/** State that all agents of a run share. */
export interface TeamState {
  /** Work modules by id; a module is replaced when it changes, the record is changed in place. */
  readonly workModules: Record<string, WorkModule>;
  readonly dispatchHistory: DispatchRecord[];
  /** Index of each dispatch in `dispatchHistory`, and the latest dispatch of each agent. */
  readonly dispatchIndex: Map<string, number>;
  readonly dispatchOfAgent: Map<AgentId, number>;
  /** Free values for observers and tools. */
  shared: JsonObject;
  /** Paths of `shared` that hold untrusted text. */
  readonly taint: StateTaint;
  counters: JsonObject;
}
