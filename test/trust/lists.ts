/** Trials of what attackers send: web addresses, paths, requests to the inspector, injected orders, expressions. */
export const attackLists: readonly string[] = [
  'test/toolsets/web/ssrf.test.ts',
  'test/files/path-jail.test.ts',
  'test/files/auto-run-jail.test.ts',
  'test/toolsets/documents/path-jail.test.ts',
  'test/toolsets/workspace/check-links.test.ts',
  'test/toolsets/shell/hostile.test.ts',
  'test/server/http/hostile.test.ts',
  'test/inspect/hostile-bundles.test.ts',
  'test/faults/injection.test.ts',
  'test/engine/taint-fuzz.test.ts',
  'test/core/expression/escapes.test.ts',
];

/** Trials in which secrets are planted and looked for wherever they could come out. */
export const secretLists: readonly string[] = [
  'test/engine/secrets.test.ts',
  'test/inspect/redaction.test.ts',
  'test/server/http/secrets.test.ts',
  'test/server/http/canary.test.ts',
  'test/server/http/export.test.ts',
  'test/cli/sharing.test.ts',
  'test/profiles/secret-values.test.ts',
  'test/toolsets/shell/secret-files.test.ts',
];
