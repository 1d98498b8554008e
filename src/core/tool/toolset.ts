import type { Clock } from '../clock.ts';
import type { ToolsetCode } from './code-files.ts';
import type { CodedObserver } from '../env.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { SourceRef } from '../profile/source-ref.ts';

/** Something a toolset uses because its settings say so, in words for a person who has to agree to it. */
export interface Reach {
  /** A program that is started, code that is loaded, a variable of the environment that is read, an address that is called, or files that are kept from agents otherwise. */
  readonly kind: 'command' | 'code' | 'variable' | 'destination' | 'file';
  readonly text: string;
}

/** A kind of toolset that can be named in YAML: what its settings are, and how one is made. */
export interface ToolsetKind {
  readonly kind: string;
  /** One sentence for people. */
  readonly description: string;
  /** The JSON Schema of `settings`: an object without further keys. */
  readonly settings: JsonSchema;
  /** The names of its tools; empty when they are only known once it is connected. */
  readonly tools: readonly string[];
  /** The names of the observers it brings along. */
  readonly observers?: readonly string[];
  /** What the toolset `name` with these settings uses of the machine and the world; nothing when absent. */
  readonly reaches?: (settings: JsonObject, name: string) => readonly Reach[];
  /** Makes a toolset; touches nothing outside until a tool is called or it is connected. May throw `OPTION_INVALID`. */
  readonly create: (request: ToolsetRequest) => Toolset;
}

/** What a toolset is made from. */
export interface ToolsetRequest {
  /** The toolset's name; its tools must bear it as their `toolset`. */
  readonly name: string;
  /** Checked against the kind's schema. */
  readonly settings: JsonObject;
  /** The code it loads, when files declare one of a kind that loads code. */
  readonly code?: ToolsetCode;
  /** Globs of paths that toolsets of the same profiles do not read (`unreadable`): it does not read them either, unless its settings say what instead. */
  readonly unreadable?: readonly string[];
  /** The name of one of its tools: the plain one, or `<toolset>_<tool>` when the toolset has not its kind's own name. */
  readonly toolName: (tool: string) => string;
}

/** A toolset that is made. */
export interface Toolset {
  /** Its tools, in any form the engine takes; for one that connects, those it has before it does. */
  readonly tools: readonly unknown[];
  /** Which kind it is of; absent for one that code makes by itself. */
  readonly kind?: string;
  /** What it is made from, for the values of a run's request: approvals are bound to it. Absent when that is not known. */
  readonly settingsFor?: (request: JsonObject) => JsonObject;
  /** Observers that profiles may name while they use the toolset. */
  readonly observers?: readonly CodedObserver[];
  /** Runs need it: one that fails to connect is an error of the launch, and no run begins without its tools. */
  readonly isRequired?: boolean;
  /** What of a file it was made from, for messages about it. */
  readonly source?: SourceRef;
  /** Begins to connect when an engine opens; must not throw, and reports what becomes of it to the host. */
  readonly connect?: (host: ToolsetHost) => void;
  /** Ends what `connect` began. */
  readonly close?: () => Promise<void>;
}

/** What a toolset that connects tells its engine. */
export interface ToolsetHost {
  readonly clock: Clock;
  /** Replaces the toolset's tools. Agents that may call them are told, and are offered the new ones from their next turn on. */
  readonly setTools: (tools: readonly unknown[]) => void;
  /** Says how it stands; what is not `ready` is put on record and told to agents that may call its tools. */
  readonly setHealth: (health: ToolsetHealth) => void;
}

/** How a toolset that connects stands. */
export interface ToolsetHealth {
  readonly status: 'connecting' | 'ready' | 'failed';
  /** For people and models: what is wrong and what can be done; of one that is `ready`, what of it cannot be used. */
  readonly message?: string;
}
