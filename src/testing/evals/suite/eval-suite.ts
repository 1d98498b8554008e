import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { SourceRef } from '../../../core/profile/source-ref.ts';
import type { LimitOptions } from '../../../engine/limit-options.ts';
import type { PersonStep } from '../../cases/test-case.ts';
import type { EvalCheck } from '../checks/eval-check.ts';

/** One way to run the cases. */
export interface EvalVariant {
  readonly name: string;
  readonly description: string | undefined;
  /** Absolute path of its profiles folder; that of the suite when absent. */
  readonly profiles: string | undefined;
  readonly profile: string | undefined;
  /** LLM config used instead of every profile's own. */
  readonly llm: string | undefined;
  readonly request: JsonObject;
  readonly limits: LimitOptions;
  readonly at: SourceRef;
}

/** One input, and the checks of what comes of it. */
export interface EvalCase {
  readonly name: string;
  readonly input: JsonValue;
  readonly profile: string | undefined;
  readonly request: JsonObject;
  readonly vars: JsonObject;
  readonly people: readonly PersonStep[];
  readonly limits: LimitOptions;
  readonly repeats: number;
  readonly checks: readonly EvalCheck[];
  readonly at: SourceRef;
}

/** An eval suite, read and checked. */
export interface EvalSuite {
  /** Its text, as it was read. */
  readonly text: string;
  /** Path for people. */
  readonly file: string;
  /** Absolute path of the folder of the file: paths in it are relative to this one. */
  readonly folder: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Absolute path of the profiles folder; that of the command when absent. */
  readonly profiles: string | undefined;
  readonly variants: readonly EvalVariant[];
  readonly concurrency: number;
  readonly budget: { readonly costUsd?: number; readonly tokens?: number };
  /** LLM config of judges that name none. */
  readonly judgeLlm: string | undefined;
  /** Share of the runs that must pass, 0 to 1. */
  readonly passRate: number;
  readonly cases: readonly EvalCase[];
}
