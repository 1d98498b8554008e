import type { Diagnostic } from '../core/profile/profile.ts';
import type { DiagnosticCode } from './diagnostic-code.ts';
import { scalarOffset } from './yaml/scalar-offset.ts';
import type { Place, SourceNode } from './yaml/source-node.ts';

/** Maximum number of diagnostics kept in one load; a file with more has a basic problem. */
const maxDiagnostics = 200;

interface Problem {
  readonly at: Place;
  readonly message: string;
  readonly hint?: string | undefined;
}

interface TextProblem extends Omit<Problem, 'at'> {
  readonly node: SourceNode;
  readonly offset: number;
}

/** Collects the problems of all files. The same problem at the same place is kept once, however many profiles inherit it. */
export class Report {
  readonly #diagnostics = new Map<string, Diagnostic>();
  /** True when shapes and schemas are checked, which costs more than everything else. */
  readonly checksShape: boolean;

  constructor({ checksShape = true }: { readonly checksShape?: boolean } = {}) {
    this.checksShape = checksShape;
  }

  /** All diagnostics, by file and place. */
  get diagnostics(): readonly Diagnostic[] {
    return [...this.#diagnostics.values()].toSorted(
      (a, b) => compareText(a.source.file, b.source.file) || a.source.line - b.source.line || a.source.column - b.source.column,
    );
  }

  /** True when the limit is reached and further problems are dropped. */
  get isFull(): boolean {
    return this.#diagnostics.size >= maxDiagnostics;
  }

  get hasErrors(): boolean {
    for (const { severity } of this.#diagnostics.values()) if (severity === 'error') return true;
    return false;
  }

  /** Reports an error at the start of a place. */
  error(code: DiagnosticCode, problem: Problem): void {
    this.#add('error', code, problem);
  }

  /** Reports something that is valid but probably wrong. */
  warning(code: DiagnosticCode, problem: Problem): void {
    this.#add('warning', code, problem);
  }

  /** Reports an error inside a text, at an offset into its value. */
  errorInText(code: DiagnosticCode, { node, offset, message, hint }: TextProblem): void {
    if (this.isFull) return;
    const start = node.kind === 'scalar' ? scalarOffset(node, offset) : node.at.start;
    this.#add('error', code, { at: { ...node.at, start }, message, hint });
  }

  /** Adds a complete diagnostic. */
  add(diagnostic: Diagnostic): void {
    const { severity, code, message, source } = diagnostic;
    const key = JSON.stringify([severity, code, message, source.file, source.line, source.column]);
    if (this.#diagnostics.size < maxDiagnostics && !this.#diagnostics.has(key)) this.#diagnostics.set(key, diagnostic);
  }

  #add(severity: Diagnostic['severity'], code: DiagnosticCode, { at, message, hint }: Problem): void {
    const source = at.file.refAt(at.start);
    this.add(hint === undefined ? { severity, code, message, source } : { severity, code, message, source, hint });
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
