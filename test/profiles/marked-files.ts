import { expect, it } from 'vitest';
import type { KnownNames } from '../../src/core/profile/known-names.ts';
import type { Diagnostic, ProfileFile } from '../../src/core/profile/profile.ts';
import { compileProfileFiles, type CompileOutcome } from '../../src/profiles/compile-profile-files.ts';
import { formatDiagnostics } from '../../src/profiles/format-diagnostics.ts';

/** Marks the place in a test's text where the diagnostic must point. */
const mark = '‸';

/** One bad input: its text (a profile, or files by path) with a mark, the code, and what the line must say. */
export interface BadInput {
  readonly title: string;
  readonly text: string | Readonly<Record<string, string>>;
  readonly code: string;
  readonly says: readonly string[] | string;
  readonly severity?: 'warning';
}

/** Names that bad inputs may refer to. */
const known: KnownNames = {
  tools: new Set(['search', 'read_file', 'finish_flow', 'write_report']),
  toolsets: new Set(['planning', 'documents', 'flow_control_end']),
  ingestors: new Set(['markdown_formatter', 'work_modules', 'templated_content', 'generic_message']),
  observers: new Set(['watch_budget']),
  functions: new Set(['sum_up']),
  models: new Set(['default']),
  toolsetKinds: new Map([
    [
      'box',
      {
        tools: ['open_box'],
        observers: [],
        settings: {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            owner: { type: 'string', 'x-names': ['profiles'] },
            token: { type: 'string' },
            env: { type: 'object', additionalProperties: { type: 'string' } },
          },
          additionalProperties: false,
        },
      },
    ],
    ['server', { tools: [], observers: [], settings: { type: 'object' } }],
  ]),
};

/** Compiles files given by path. */
export function compileText(
  text: string | Readonly<Record<string, string>>,
  names: Partial<KnownNames> = known,
  env: Record<string, string> = {},
): CompileOutcome {
  const files: readonly ProfileFile[] =
    typeof text === 'string'
      ? [{ path: 'p.yaml', text }]
      : Object.entries(text).map(([path, content]) => ({ path, text: content }));
  return compileProfileFiles(files, { known: names, env });
}

/** Compiles a profile that must be fine. */
export function compileGood(
  text: string | Readonly<Record<string, string>>,
  names?: Partial<KnownNames>,
  env?: Record<string, string>,
): NonNullable<CompileOutcome['set']> {
  const { set, diagnostics } = compileText(text, names, env);
  if (set === undefined) throw new Error(formatDiagnostics(diagnostics));
  return set;
}

/** One test per bad input: exactly the marked place is reported, with this code and these words, and nothing else. */
export function itReports(inputs: readonly BadInput[]): void {
  it.each(inputs.map((input) => [input.title, input] as const))('%s', (_, input) => {
    const marked = typeof input.text === 'string' ? { 'p.yaml': input.text } : input.text;
    const places: string[] = [];
    const files = Object.fromEntries(
      Object.entries(marked).map(([path, text]) => {
        const at = text.indexOf(mark);
        if (at >= 0) places.push(`${path}:${text.slice(0, at).split('\n').length}:${at - (text.lastIndexOf('\n', at) + 1) + 1}`);
        return [path, text.replace(mark, '')];
      }),
    );
    const { set, diagnostics } = compileText(files);
    const summary = diagnostics.map((diagnostic) => `${placeOf(diagnostic)} ${diagnostic.code}`);
    expect(summary, formatDiagnostics(diagnostics)).toEqual(places.map((place) => `${place} ${input.code}`));
    expect(diagnostics[0]?.severity).toBe(input.severity ?? 'error');
    expect(set === undefined).toBe(input.severity === undefined);
    for (const words of [input.says].flat()) expect(formatDiagnostics(diagnostics)).toContain(words);
  });
}

/** `file:line:col` of a diagnostic. */
export function placeOf({ source }: Diagnostic): string {
  return `${source.file}:${source.line}:${source.column}`;
}
