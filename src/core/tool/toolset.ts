import type { Clock } from '../clock.ts';
import type { ToolsetCode } from './code-files.ts';
import type { CodedObserver } from '../env.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { FileChange } from './file-change.ts';
import type { SourceRef } from '../profile/source-ref.ts';

/** A resource outside that a toolset uses because of its settings, described for the person who must agree. */
export interface Reach {
  /** A program to start, code to load, an environment variable to read, an address to call, or files otherwise kept from agents. */
  readonly kind: 'command' | 'code' | 'variable' | 'destination' | 'file';
  readonly text: string;
}

/** A kind of toolset for YAML: its settings, and a factory. */
export interface ToolsetKind {
  readonly kind: string;
  /** One sentence for people. */
  readonly description: string;
  /** JSON Schema of `settings`: an object without further keys. */
  readonly settings: JsonSchema;
  /** Names of its tools; empty when they are only known once it is connected. */
  readonly tools: readonly string[];
  /** Names of the observers that it provides. */
  readonly observers?: readonly string[];
  /** Returns the outside resources that the toolset `name` with these settings uses; absent = none. */
  readonly reaches?: (settings: JsonObject, name: string) => readonly Reach[];
  /**
   * Returns what a call of one of its tools would do to files as they are now, for the person who decides about the call. Changes nothing
   * and starts nothing; reads only what the tool itself may read. Absent when its tools write no files.
   */
  readonly preview?: (
    call: CallPreview,
    request: Pick<ToolsetRequest, 'settings' | 'unreadable'>,
  ) => Promise<readonly FileChange[]>;
  /** Creates a toolset, without effects outside until a tool is called or it connects. Throws `OPTION_INVALID` for unusable settings. */
  readonly create: (request: ToolsetRequest) => Toolset;
}

/** A call that waits for a person. */
export interface CallPreview {
  /** Name of the tool as its kind states it. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly runId: string;
  /** Wall time of the request, in milliseconds since 1970. */
  readonly since: number;
  /** Absolute path of the run's workspace, which may not exist yet. */
  readonly workspace: string;
  /** Returns a text with tokens of stored results (`<#KB-00001>`) replaced by the results, as the tool writes it. */
  readonly filled: (text: string) => string;
}

/** Input for creating a toolset. */
export interface ToolsetRequest {
  /** Name of the toolset, required as the `toolset` of its tools. */
  readonly name: string;
  /** Checked against the kind's schema. */
  readonly settings: JsonObject;
  /** Code that it loads, when a file declares one of a kind that loads code. */
  readonly code?: ToolsetCode;
  /**
   * Globs of paths that toolsets of the same profiles may not read (`unreadable`); they apply here, too, unless the settings
   * replace them.
   */
  readonly unreadable?: readonly string[];
  /** Returns the full name of one of its tools: the plain name, or `<toolset>_<tool>` when the toolset is not named after its kind. */
  readonly toolName: (tool: string) => string;
}

/** A live toolset. */
export interface Toolset {
  /** Its tools, in any form the engine accepts; for one that connects, those available before. */
  readonly tools: readonly unknown[];
  /** Its kind; absent when code created it directly. */
  readonly kind?: string;
  /** Returns its settings for a run's request values; approvals are bound to them. Absent when unknown. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Observers that profiles with the toolset may name. */
  readonly observers?: readonly CodedObserver[];
  /** Runs need it: a failed connection is an error of the launch, and no run begins without its tools. */
  readonly isRequired?: boolean;
  /** Place of its declaration, for messages. */
  readonly source?: SourceRef;
  /** Starts connecting when an engine opens; must not throw, and reports the result to the host. */
  readonly connect?: (host: ToolsetHost) => void;
  /** Undoes `connect`. */
  readonly close?: () => Promise<void>;
}

/** The engine's callbacks for a toolset that connects. */
export interface ToolsetHost {
  readonly clock: Clock;
  /** Replaces the toolset's tools. Agents that may call them are notified, and get the new ones from their next turn on. */
  readonly setTools: (tools: readonly unknown[]) => void;
  /** Reports the connection's health; a status other than `ready` is recorded, and agents that may call its tools are notified. */
  readonly setHealth: (health: ToolsetHealth) => void;
}

/** Health of a toolset that connects. */
export interface ToolsetHealth {
  readonly status: 'connecting' | 'ready' | 'failed';
  /** Problem and remedy, for people and models; for a `ready` one, the part that cannot be used. */
  readonly message?: string;
}
