import { answerParent } from '../worker/answer-parent.ts';
import type { SqlJob } from './query-job.ts';
import { runSqlJob } from './run-query.ts';

// A query can run forever inside SQLite, where only the end of its process stops it.
answerParent((input) => runSqlJob(input as SqlJob));
