import { runChild } from '../../../src/toolsets/worker/run-child.ts';
import { childrenOf } from '../../tools/watch-children.ts';

// A parent that runs a query without end, and tells the process that does.
const sql = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
void runChild({
  file: new URL('../../../src/toolsets/sql/query-worker', import.meta.url),
  input: { kind: 'query', sql, parameters: [], tables: [], maxRows: 1, maxChars: 1 },
  timeoutMs: 120_000,
  maxMemoryMb: 512,
  signal: new AbortController().signal,
  what: 'The query',
});
// By then it is inside SQLite.
setTimeout(() => process.send?.(Number(childrenOf(process.pid)[0])), 2_000);
