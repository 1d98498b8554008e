import type { Diagnostic } from '../core/profile/profile.ts';

/** Formats one diagnostic on one line: `file:line:col: message (hint)`. */
export function formatDiagnostic({ source, message, hint }: Pick<Diagnostic, 'source' | 'message' | 'hint'>): string {
  return `${source.file}:${source.line}:${source.column}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** Formats all diagnostics, one per line; warnings are marked. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map((diagnostic) =>
      diagnostic.severity === 'warning' ? `${formatDiagnostic(diagnostic)} [warning]` : formatDiagnostic(diagnostic),
    )
    .join('\n');
}
