import type { GateResult } from '../../inspect/turn/turn-judgements.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';

/** A tool call of a scripted reply, with the result it gets in the test. */
export interface GivenCall {
  readonly tool: string;
  readonly args?: JsonObject;
  /** Argument text as a model wrote it, valid or not. */
  readonly input?: string;
  readonly result?: JsonValue;
  /** Message of the error that the tool fails with. */
  readonly error?: string;
}

/** Reply of the model. */
export interface GivenReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly GivenCall[];
  readonly finish_reason?: string;
  /** The model call fails with this message. */
  readonly error?: string;
  /** The reply of the recorded turn. */
  readonly recorded?: true;
}

/** An item for an inbox: `user` is short for source USER_PROMPT. */
export interface GivenItem {
  readonly user?: JsonValue;
  readonly source?: string;
  readonly payload?: JsonValue;
  readonly priority?: number;
  readonly ingestor_id?: string;
}

/** An earlier item, or an earlier reply when it has one of `assistant`, `tool_calls` and `error`. */
export interface GivenMessage extends GivenItem, Omit<GivenReply, 'text' | 'recorded'> {
  readonly assistant?: string;
}

/** Another agent of the run, which takes no turn. */
export interface GivenAgent {
  readonly profile: string;
  readonly relation?: 'parent' | 'child';
  readonly status?: 'waiting' | 'ended';
  readonly role?: string;
  readonly module?: string;
  readonly outcome?: string;
  readonly output?: string;
  readonly flags?: JsonObject;
  readonly values?: JsonObject;
}

/** The agent and its run before the tested turn. */
export interface Given {
  /** A recorded turn, RUN/TURN. */
  readonly from?: string;
  readonly inbox?: readonly GivenItem[];
  readonly messages?: readonly GivenMessage[];
  readonly flags?: JsonObject;
  readonly values?: JsonObject;
  readonly deliverables?: JsonObject;
  readonly initial_params?: JsonObject;
  readonly role?: string;
  readonly module?: string;
  readonly shared?: JsonObject;
  readonly work_modules?: Readonly<Record<string, JsonObject>>;
  readonly agents?: readonly GivenAgent[];
  readonly request?: JsonObject;
}

/** One step of a person in a case with `run`. */
export interface PersonStep {
  readonly say?: JsonValue;
  readonly approve?: true;
  readonly reject?: string;
  readonly answer?: JsonValue;
}

/** A whole team's run. */
export interface GivenRun {
  readonly input: JsonValue;
  /** Path of a script in the profiles folder. */
  readonly script?: string;
  /** Replies by profile. */
  readonly replies?: Readonly<Record<string, readonly (string | GivenReply)[]>>;
  readonly people?: readonly PersonStep[];
}

/** Result of the calls of a tool. */
export interface GivenResult {
  readonly tool: string;
  /** Only for calls with these arguments. */
  readonly args?: JsonObject;
  readonly result?: JsonValue;
  readonly error?: string;
}

/** One text or several. */
export type Texts = string | readonly string[];

/** Expected judgement of a call by a gate. */
export interface ExpectedGate {
  readonly id: string;
  readonly result?: GateResult;
  /** Values that its condition read, by path, among others. */
  readonly values?: JsonObject;
}

/** An expected tool call. */
export interface ExpectedCall {
  readonly tool: string;
  /** Arguments, among others. */
  readonly args?: JsonObject;
  readonly status?: string;
  /** The gate that decided it. */
  readonly gate?: string;
  readonly gates?: readonly ExpectedGate[];
  readonly contains?: Texts;
  /** Profile of the calling agent. */
  readonly by?: string;
}

/** A text of the prompt with its origin. */
export interface ExpectedText {
  readonly text: string;
  readonly segment?: string;
  readonly source?: string;
  readonly ingestor?: string;
  readonly observer?: string;
  readonly rule?: string;
  readonly tool?: string;
}

/** An item that was posted. */
export interface ExpectedItem {
  readonly source: string;
  readonly to?: string;
  readonly contains?: Texts;
  readonly observer?: string;
  readonly rule?: string;
}

/** What is expected of a turn. Keys are those of test files. */
export interface TurnExpectations {
  readonly prompt?: {
    readonly contains?: Texts;
    readonly lacks?: Texts;
    readonly snapshot?: boolean | string;
    readonly says?: readonly ExpectedText[];
  };
  readonly observers?: readonly string[] | { readonly fired?: readonly string[]; readonly quiet?: readonly string[] };
  readonly rule?: string | null;
  readonly action?: string;
  readonly tool_calls?: readonly ExpectedCall[];
  readonly tools?: { readonly offered?: readonly string[]; readonly not_offered?: readonly string[]; readonly choice?: string };
  readonly state?: JsonObject;
  readonly posted?: readonly ExpectedItem[];
  readonly started?: readonly string[];
  readonly end?: string | false;
  readonly output?: Texts;
  readonly error?: Texts;
  readonly notes?: readonly string[];
}

/** What is expected of a run. */
export interface RunExpectations {
  readonly status?: string;
  readonly outcome?: string;
  readonly output?: Texts;
  readonly error?: Texts;
  readonly agents?: readonly {
    readonly profile: string;
    readonly count?: number;
    readonly outcome?: string;
    readonly status?: string;
  }[];
  readonly turns?: number | Readonly<Record<string, number>>;
  readonly calls?: readonly ExpectedCall[];
  readonly rules?: readonly string[];
  readonly observers?: NonNullable<TurnExpectations['observers']>;
  readonly state?: JsonObject;
  readonly notes?: readonly string[];
  /** True: every step of `run.people` was taken. */
  readonly people?: boolean;
}

/** A case as written, in YAML spelling. */
export interface CaseBody {
  readonly name: string;
  readonly profile?: string;
  readonly given?: Given;
  readonly reply?: string | GivenReply;
  readonly run?: GivenRun;
  readonly results?: readonly GivenResult[];
  readonly expect: TurnExpectations & RunExpectations;
}

/** Returns the place of a part of a case: `['expect', 'rule']`. */
export type PlaceOf = (path: readonly (string | number)[]) => SourceRef;

/** One case to run. */
export interface TestCase {
  readonly body: CaseBody;
  /** Profile of the tested agent, or that a run starts with. */
  readonly profile: string;
  readonly placeOf: PlaceOf;
}

/** A tool of a toolset that connects, as a test declares it. */
export interface DeclaredTool {
  readonly toolset: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly effect?: 'pure' | 'idempotent' | 'verifiable' | 'unsafe';
}

/** Cases of one file, and what they need besides the profiles. */
export interface TestGroup {
  /** Path for people. */
  readonly file: string;
  /** Folder of the file: snapshots and recordings are below it. */
  readonly folder: string;
  /** Name that snapshots of the file begin with. */
  readonly stem: string;
  /** Further profiles, in YAML. */
  readonly profiles: readonly { readonly path: string; readonly text: string }[];
  readonly env: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, DeclaredTool>>;
  readonly maxTurns: number;
  readonly cases: readonly TestCase[];
}
