import { existsSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type FolderCode, folderCode } from '../../../engine/toolsets/folder-code.ts';
import type { LimitOptions } from '../../../engine/limit-options.ts';
import { readProjectText } from '../../../files/output-file.ts';
import { isEvalFile } from '../../../profiles/files/test-file-names.ts';
import { formatDiagnostics } from '../../../profiles/format-diagnostics.ts';
import { Report } from '../../../profiles/report.ts';
import { validateShape } from '../../../profiles/schema/validate-shape.ts';
import { childOf, type MapNode, nodeAt, type SourceNode, toPlainObject } from '../../../profiles/yaml/source-node.ts';
import { usageLimits } from '../../../profiles/compile/compile-limits.ts';
import { readYaml, shownPath } from '../../cases/read-yaml.ts';
import type { PersonStep } from '../../cases/test-case.ts';
import { type CheckDefaults, compileChecks } from './compile-checks.ts';
import type { EvalCase, EvalSuite, EvalVariant } from './eval-suite.ts';

const defaultConcurrency = 4;
const defaultPassScore = 0.7;
/** Runs of one eval: more are a mistake, and cost accordingly. */
const mostRuns = 100_000;

const variantName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}$/;

/** Reads a suite from a file. Fails with OPTION_INVALID when there is none, PROFILE_INVALID naming every problem of its text. */
export async function readSuite(file: string): Promise<EvalSuite> {
  const place = path.resolve(file);
  if (!existsSync(place)) throw new CadreError('OPTION_INVALID', `there is no file '${file}'; name an eval suite (*.eval.yaml)`);
  if (!isEvalFile(place)) throw new CadreError('OPTION_INVALID', `'${file}' is no eval suite: its name ends in .eval.yaml`);
  const report = new Report();
  const text = await readProjectText(place);
  const suite = compileSuite(text, { file: shownPath(place), folder: path.dirname(place) }, report);
  const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
  if (suite !== undefined && errors.length === 0) return suite;
  throw new CadreError(
    'PROFILE_INVALID',
    `the eval suite has ${errors.length === 1 ? '1 error' : `${errors.length} errors`}:\n${formatDiagnostics(errors)}`,
    {
      details: { diagnostics: errors },
    },
  );
}

/** Compiles the text of a suite; undefined, with the problems reported, when it is none. */
export function compileSuite(text: string, place: Pick<EvalSuite, 'file' | 'folder'>, report: Report): EvalSuite | undefined {
  const root = readYaml(place.file, text, 'an eval suite', report);
  if (root === undefined || !validateShape('eval', root, report) || report.hasErrors) return undefined;
  return new SuiteReader(root, { ...place, text }, report).read();
}

class SuiteReader {
  readonly #root: MapNode;
  readonly #place: Pick<EvalSuite, 'file' | 'folder' | 'text'>;
  readonly #report: Report;
  readonly #plain: JsonObject;

  constructor(root: MapNode, place: Pick<EvalSuite, 'file' | 'folder' | 'text'>, report: Report) {
    this.#root = root;
    this.#place = place;
    this.#report = report;
    this.#plain = toPlainObject(root);
  }

  read(): EvalSuite {
    const plain = this.#plain;
    const judge = (plain['judge'] ?? {}) as JsonObject;
    const budget = (plain['budget'] ?? {}) as { readonly cost_usd?: number; readonly tokens?: number };
    const defaults: CheckDefaults = {
      folder: this.#place.folder,
      judgeLlm: textOf(judge['llm']),
      passScore: numberOf(judge['pass_score']) ?? defaultPassScore,
      codeOf: codeIn(this.#place.folder),
    };
    const variants = this.#variants();
    const cases = this.#cases(defaults);
    const runs = variants.length * cases.reduce((sum, { repeats }) => sum + repeats, 0);
    if (runs > mostRuns)
      this.#error('OUT_OF_RANGE', this.#root, `the suite asks for ${runs} runs; an eval has at most ${mostRuns}`, 'lower repeats');
    return {
      ...this.#place,
      name: textOf(plain['name']) ?? path.basename(this.#place.file).replace(/\.eval\.ya?ml$/i, ''),
      description: textOf(plain['description']),
      profiles: this.#folder(['profiles']),
      variants,
      concurrency: numberOf(plain['concurrency']) ?? defaultConcurrency,
      budget: {
        ...(budget.cost_usd === undefined ? {} : { costUsd: budget.cost_usd }),
        ...(budget.tokens === undefined ? {} : { tokens: budget.tokens }),
      },
      judgeLlm: defaults.judgeLlm,
      passRate: numberOf(plain['pass_rate']) ?? 1,
      cases,
    };
  }

  #variants(): readonly EvalVariant[] {
    const given = Object.entries((this.#plain['variants'] ?? { profiles: {} }) as Readonly<Record<string, JsonObject>>);
    if (given.length === 0)
      this.#error(
        'OUT_OF_RANGE',
        nodeAt(this.#root, ['variants']),
        'the suite has no variants',
        'leave out variants to run the profiles as they are',
      );
    for (const [name] of given)
      if (!variantName.test(name))
        this.#error(
          'NOT_ALLOWED',
          nodeAt(this.#root, ['variants', name]),
          `'${name}' is no name of a variant`,
          'letters, digits and _ . -, at most 40',
        );
    const common = limitsIn(this.#root);
    return given.map(([name, body]) => ({
      name,
      description: textOf(body['description']),
      profiles: this.#folder(['variants', name, 'profiles']),
      profile: textOf(body['profile']),
      llm: textOf(body['llm']),
      request: (body['request'] ?? {}) as JsonObject,
      limits: { ...common, ...limitsIn(nodeAt(this.#root, ['variants', name])) },
      at: this.#at(['variants', name]),
    }));
  }

  #cases(defaults: CheckDefaults): readonly EvalCase[] {
    const list = childOf(this.#root, 'cases');
    if (list?.kind !== 'list') return [];
    if (list.items.length === 0) this.#error('OUT_OF_RANGE', list, 'the suite has no cases', 'a case needs name, input and checks');
    const common = childOf(this.#root, 'checks');
    const repeats = numberOf(this.#plain['repeats']) ?? 1;
    const names = new Set<string>();
    return list.items.flatMap((node, index) => {
      if (node.kind !== 'map') return [];
      const body = toPlainObject(node);
      const name = textOf(body['name']) ?? '';
      if (names.has(name)) this.#error('DUPLICATE_NAME', nodeAt(node, ['name']), `two cases have the name '${name}'`);
      names.add(name);
      const checks = compileChecks([common, childOf(node, 'checks')], defaults, this.#report);
      const isWritten = [common, childOf(node, 'checks')].some((list) => list?.kind === 'list' && list.items.length > 0);
      if (!isWritten)
        this.#error(
          'MISSING_KEY',
          node,
          'the case checks nothing',
          'write checks in the case, or for all cases at the top of the suite',
        );
      const people = (body['people'] ?? []) as readonly PersonStep[];
      for (const [step, each] of people.entries())
        if (Object.keys(each).length !== 1)
          this.#error(
            'NOT_ALLOWED',
            nodeAt(node, ['people', String(step)]),
            'a step of a person is one of say, approve, reject and answer',
          );
      return [
        {
          name,
          input: body['input'] ?? null,
          profile: textOf(body['profile']) ?? textOf(this.#plain['profile']),
          request: (body['request'] ?? {}) as JsonObject,
          vars: (body['vars'] ?? {}) as JsonObject,
          people,
          limits: limitsIn(node),
          repeats: numberOf(body['repeats']) ?? repeats,
          checks,
          at: this.#at(['cases', String(index)]),
        },
      ];
    });
  }

  /** Returns the absolute path of a folder that the suite names. */
  #folder(at: readonly string[]): string | undefined {
    const node = nodeAt(this.#root, at);
    let value: unknown = this.#plain;
    for (const key of at) value = (value as JsonObject | undefined)?.[key];
    if (typeof value !== 'string') return undefined;
    const folder = path.resolve(this.#place.folder, value);
    if (!existsSync(folder))
      this.#error('FILE_NOT_FOUND', node, `there is no folder '${value}' beside the suite`, `looked at ${folder}`);
    return folder;
  }

  #at(at: readonly string[]): EvalCase['at'] {
    const { file, start } = nodeAt(this.#root, at).at;
    return file.refAt(start);
  }

  #error(code: Parameters<Report['error']>[0], node: SourceNode, message: string, hint?: string): void {
    this.#report.error(code, { at: node.at, message, hint });
  }
}

/** Returns a function that finds the code of a folder's files, each once. */
function codeIn(folder: string): CheckDefaults['codeOf'] {
  const found = new Map<string, FolderCode>();
  return (file) => {
    const name = path.relative(folder, path.resolve(folder, file)).replaceAll(path.sep, '/');
    const code = found.get(name) ?? folderCode(folder, name);
    found.set(name, code);
    return code;
  };
}

function limitsIn(node: SourceNode): LimitOptions {
  const limits = childOf(node, 'limits');
  return limits?.kind === 'map' ? usageLimits(limits) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
