import type { AgentId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { StateTaint } from '../untrusted/taint.ts';
import type { DispatchRecord, WorkModule } from '../team/work-module.ts';

/** What all agents of a run share. */
export interface TeamState {
  /** By id; a module is replaced when it changes, the record is changed in place. */
  readonly workModules: Record<string, WorkModule>;
  readonly dispatchHistory: DispatchRecord[];
  /** Where in `dispatchHistory` a dispatch stands, and the latest one of each agent. */
  readonly dispatchIndex: Map<string, number>;
  readonly dispatchOfAgent: Map<AgentId, number>;
  /** Free values for observers and tools. */
  shared: JsonObject;
  /** Words from outside in `shared`. */
  readonly taint: StateTaint;
  counters: JsonObject;
}
