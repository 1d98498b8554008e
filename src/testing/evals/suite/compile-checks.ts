import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { regexLibrary } from '../../../core/regex-library.ts';
import { CadreError } from '../../../core/error.ts';
import { compileTemplate, type Template } from '../../../core/expression/template.ts';
import type { JsonObject, JsonSchema } from '../../../core/json.ts';
import { compileCondition } from '../../../profiles/compile/compile-text.ts';
import type { FolderCode } from '../../../engine/toolsets/folder-code.ts';
import type { Report } from '../../../profiles/report.ts';
import { quote } from '../../../profiles/wording.ts';
import {
  childOf,
  type MapNode,
  nodeAt,
  type ScalarNode,
  type SourceNode,
  toPlainObject,
} from '../../../profiles/yaml/source-node.ts';
import { compileSchema } from '../../../tools/schema/compile-schema.ts';
import type { RunExpectations } from '../../cases/test-case.ts';
import { codeCheck } from '../checks/code-check.ts';
import { type CheckKind, checkKinds, type EvalCheck } from '../checks/eval-check.ts';
import { evalRoots, textRoots } from '../checks/eval-facts.ts';
import { judgeCheck } from '../checks/judge-check.ts';
import { celCheck, expectCheck, schemaCheck } from '../checks/state-checks.ts';
import { containsCheck, equalsCheck, lacksCheck, matchesCheck } from '../checks/text-checks.ts';
import { ofTurn, runHint } from '../../cases/check-case.ts';

/** What checks get from their suite. */
export interface CheckDefaults {
  readonly folder: string;
  readonly judgeLlm: string | undefined;
  /** Least score of a judge that passes, 0 to 1. */
  readonly passScore: number;
  /** Returns the code of a file, named relative to the suite; the same for all checks of the suite. */
  readonly codeOf: (file: string) => FolderCode;
}

/** Compiles lists of checks into one; problems are reported at their places, once for checks that cases share. */
export function compileChecks(
  lists: readonly (SourceNode | undefined)[],
  defaults: CheckDefaults,
  report: Report,
): readonly EvalCheck[] {
  const nodes = lists.flatMap((list) => (list?.kind === 'list' ? list.items : [])).filter((node) => node.kind === 'map');
  const judges = new Map<string, number>();
  const keyOf = (rubric: string, llm: string): string => {
    const nth = (judges.get(JSON.stringify([rubric, llm])) ?? 0) + 1;
    judges.set(JSON.stringify([rubric, llm]), nth);
    return createHash('sha256')
      .update(JSON.stringify([rubric, llm, nth]))
      .digest('hex')
      .slice(0, 8);
  };
  return nodes.flatMap((node) => new CheckCompiler(node, { ...defaults, keyOf }, report).compile() ?? []);
}

/** Defaults, with what gives a judge the key by which its answer is found again: its question, and its number among equal ones. */
type CompilerDefaults = CheckDefaults & { readonly keyOf: (rubric: string, llm: string) => string };

class CheckCompiler {
  readonly #node: MapNode;
  readonly #defaults: CompilerDefaults;
  readonly #report: Report;
  #judgeKey: string | undefined;

  constructor(node: MapNode, defaults: CompilerDefaults, report: Report) {
    this.#node = node;
    this.#defaults = defaults;
    this.#report = report;
  }

  compile(): EvalCheck | undefined {
    const body = toPlainObject(this.#node);
    const kinds = checkKinds.filter((kind) => kind in body);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const found = kinds.length === 0 ? 'none of them' : kinds.join(' and ');
      this.#error([], `a check has one of ${checkKinds.join(', ')}; this one has ${found}`);
      return undefined;
    }
    const check = this.#checkOf(kind);
    if (check === undefined) return undefined;
    const { file, start } = this.#node.at;
    const llm = kind === 'judge' ? this.#judgeLlm : undefined;
    const judgeKey = this.#judgeKey;
    const name = typeof body['name'] === 'string' ? body['name'] : nameOf(kind, body[kind]);
    const readsEnd = this.#readsEnd(kind);
    return {
      name,
      kind,
      at: file.refAt(start),
      ...(llm === undefined ? {} : { llm }),
      ...(judgeKey === undefined ? {} : { judgeKey }),
      ...(readsEnd ? { readsEnd } : {}),
      ...(kind === 'code' ? { code: this.#defaults.codeOf(String(body[kind])) } : {}),
      check,
    };
  }

  #checkOf(kind: CheckKind): EvalCheck['check'] | undefined {
    switch (kind) {
      case 'contains':
        return this.#ofTexts(kind, containsCheck);
      case 'lacks':
        return this.#ofTexts(kind, lacksCheck);
      case 'equals': {
        const text = this.#template([kind]);
        return text && equalsCheck(text);
      }
      case 'matches':
        return this.#matches();
      case 'schema':
        return this.#schema();
      case 'cel': {
        const condition = compileCondition(this.#report, this.#node, { roots: evalRoots, key: 'cel' });
        return condition && celCheck(condition);
      }
      case 'code':
        return this.#code();
      case 'judge':
        return this.#judge();
      case 'expect':
        return this.#expect();
    }
  }

  #readsEnd(kind: CheckKind): boolean {
    if (kind === 'expect') return ['status', 'outcome', 'error'].some((key) => key in (this.#value('expect') as JsonObject));
    return kind === 'cel' && /\brun\.(?:status|outcome|error)\b/.test(String(this.#value('cel')));
  }

  #ofTexts(kind: CheckKind, make: (texts: readonly Template[]) => EvalCheck['check']): EvalCheck['check'] | undefined {
    const node = childOf(this.#node, kind);
    const paths = node?.kind === 'list' ? node.items.map((_, index) => [kind, String(index)]) : [[kind]];
    if (paths.length === 0) this.#error([kind], 'the list has no texts');
    const texts = paths.map((at) => this.#template(at)).filter((text) => text !== undefined);
    return texts.length === paths.length && texts.length > 0 ? make(texts) : undefined;
  }

  #template(at: readonly string[]): Template | undefined {
    const node = nodeAt(this.#node, at) as ScalarNode;
    const compiled = compileTemplate(String(node.value), textRoots);
    if (compiled.ok) return compiled.value;
    for (const { start, message, hint } of compiled.problems)
      this.#report.errorInText('BAD_TEMPLATE', { node, offset: start, message, hint });
    return undefined;
  }

  #matches(): EvalCheck['check'] | undefined {
    const pattern = String(this.#value('matches'));
    const { RE2JS, RE2JSSyntaxException } = regexLibrary();
    try {
      RE2JS.compile(pattern);
    } catch (thrown) {
      if (!(thrown instanceof RE2JSSyntaxException)) throw thrown;
      this.#error(
        ['matches'],
        `${quote(pattern)} is no regular expression: ${thrown.message}`,
        'RE2 has no look-around and no back-references',
      );
      return undefined;
    }
    return matchesCheck(pattern);
  }

  #schema(): EvalCheck['check'] | undefined {
    const schema = this.#value('schema') as JsonSchema;
    try {
      compileSchema(schema, 'the schema');
    } catch (thrown) {
      if (!(thrown instanceof CadreError)) throw thrown;
      this.#error(['schema'], thrown.message);
      return undefined;
    }
    return schemaCheck(schema);
  }

  #code(): EvalCheck['check'] | undefined {
    const named = String(this.#value('code'));
    const file = path.resolve(this.#defaults.folder, named);
    const isInside = !path.relative(this.#defaults.folder, file).startsWith('..');
    if (isInside && existsSync(file)) return codeCheck(this.#defaults.codeOf(named), named);
    const problem = isInside ? `there is no file '${named}' beside the suite` : `'${named}' is outside the folder of the suite`;
    this.#error(['code'], problem, isInside ? `looked at ${file}` : 'code of checks is in the folder of the suite or below it');
    return undefined;
  }

  get #judgeLlm(): string | undefined {
    const judge = this.#value('judge');
    const own = typeof judge === 'object' && judge !== null ? (judge as JsonObject)['llm'] : undefined;
    return typeof own === 'string' ? own : this.#defaults.judgeLlm;
  }

  #judge(): EvalCheck['check'] | undefined {
    const judge = this.#value('judge');
    const body = typeof judge === 'string' ? {} : (judge as JsonObject);
    const rubric = this.#template(typeof judge === 'string' ? ['judge'] : ['judge', 'rubric']);
    const llm = this.#judgeLlm;
    if (llm === undefined)
      this.#error(['judge'], 'the judge has no model', 'write judge: { llm: NAME } at the top of the suite, or llm in the check');
    if (rubric === undefined || llm === undefined) return undefined;
    const passScore = typeof body['pass_score'] === 'number' ? body['pass_score'] : this.#defaults.passScore;
    this.#judgeKey = this.#defaults.keyOf(rubric.source, llm);
    return judgeCheck({ rubric, llm, passScore, key: this.#judgeKey });
  }

  #expect(): EvalCheck['check'] | undefined {
    const expect = this.#value('expect') as RunExpectations;
    checkExpectation(expect, (at, message, hint) => this.#error(['expect', ...at], message, hint));
    return expectCheck(expect, (at) => {
      const place = nodeAt(this.#node, at.map(String)).at;
      return place.file.refAt(place.start);
    });
  }

  #value(key: CheckKind): unknown {
    return toPlainObject(this.#node)[key];
  }

  #error(at: readonly string[], message: string, hint?: string): void {
    this.#report.error('NOT_ALLOWED', { at: nodeAt(this.#node, at).at, message, hint });
  }
}

const longestName = 60;

/** Names a check after what it looks for. */
function nameOf(kind: CheckKind, value: unknown): string {
  const rubric = kind === 'judge' && typeof value === 'object' ? (value as JsonObject)['rubric'] : value;
  const text = (typeof rubric === 'string' ? rubric : JSON.stringify(rubric)).replaceAll(/\s+/g, ' ').trim();
  return `${kind} ${text.length > longestName ? `${text.slice(0, longestName)}…` : text}`;
}

type Tell = (at: readonly string[], message: string, hint?: string) => void;

/** Reports expectations that no check of a finished run can make: those of a single turn. */
function checkExpectation(expect: RunExpectations, tell: Tell): void {
  if (Object.keys(expect).length === 0) tell([], 'the check expects nothing', 'a check that cannot fail shows nothing');
  for (const key of ofTurn)
    if (key in expect) tell([key], `\`expect.${key}\` is about one turn, and a check is about the whole run`, runHint(key));
}
