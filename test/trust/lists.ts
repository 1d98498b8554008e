/** Trials of what attackers send: web addresses, paths, requests to the inspector, injected orders, expressions. */
export const attackLists: readonly string[] = [
  'test/tools/web/ssrf.test.ts',
  'test/tools/files/path-jail.test.ts',
  'test/tools/files/auto-run-jail.test.ts',
  'test/tools/documents/path-jail.test.ts',
  'test/tools/workspace/check-links.test.ts',
  'test/tools/shell/hostile.test.ts',
  'test/server/http/hostile.test.ts',
  'test/inspector/hostile-bundles.test.ts',
  'test/faults/injection.test.ts',
  'test/engine/taint-fuzz.test.ts',
  'test/core/expression/escapes.test.ts',
];

/** Trials in which secrets are planted and looked for wherever they could come out. */
export const secretLists: readonly string[] = [
  'test/engine/secrets.test.ts',
  'test/inspector/redaction.test.ts',
  'test/server/http/secrets.test.ts',
  'test/server/http/canary.test.ts',
  'test/server/http/export.test.ts',
  'test/cli/sharing.test.ts',
  'test/profiles/secret-values.test.ts',
  'test/tools/shell/secret-files.test.ts',
];
