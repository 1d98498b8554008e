import type { Report } from '../../profiles/report.ts';
import { type MapNode, nodeAt } from '../../profiles/yaml/source-node.ts';
import type { CaseBody } from './test-case.ts';

/** Expectations of a turn alone. */
export const ofTurn = ['prompt', 'rule', 'action', 'tool_calls', 'tools', 'posted', 'started', 'end'];
/** Expectations of a run alone, with what to write for a turn. */
const ofRun: Readonly<Record<string, string>> = {
  status: 'state: { status: … } is that of the agent',
  outcome: 'write end',
  agents: 'write started',
  turns: 'a case without run plays one turn',
  calls: 'write tool_calls',
  rules: 'write rule',
  people: 'only run has people',
};

/** Reports what the schema cannot say about a case: keys that do not go together, and keys that are missing. */
export function checkCase(node: MapNode, body: CaseBody, report: Report): void {
  const { expect, given = {}, run, reply } = body;
  const error = (path: readonly (string | number)[], message: string, hint?: string): void =>
    report.error('NOT_ALLOWED', { at: nodeAt(node, path.map(String)).at, message, hint });
  if (Object.keys(expect).length === 0) error(['expect'], 'the case expects nothing', 'a test that cannot fail shows nothing');
  if (run === undefined) {
    for (const [key, hint] of Object.entries(ofRun))
      if (key in expect) error(['expect', key], `\`expect.${key}\` is for a case with \`run\``, hint);
  } else {
    for (const key of ofTurn)
      if (key in expect) error(['expect', key], `\`expect.${key}\` is for a case without \`run\``, runHint(key));
    if (reply !== undefined)
      error(['reply'], 'a case with `run` has no `reply`', 'write run: { replies: { PROFILE: [...] } }, or run: { script }');
    for (const key of Object.keys(given))
      if (key !== 'request') error(['given', key], `\`given.${key}\` is for a case without \`run\``, 'a run begins with run.input');
    if (run.script !== undefined && run.replies !== undefined) error(['run', 'replies'], 'a run has a script or replies, not both');
    for (const [index, step] of (run.people ?? []).entries())
      if (Object.keys(step).length !== 1)
        error(['run', 'people', index], 'a step of a person is one of say, approve, reject and answer');
  }
  if (given.from !== undefined)
    for (const key of Object.keys(given))
      if (key !== 'from')
        error(
          ['given', key],
          `\`given.from\` brings the whole run, and \`given.${key}\` is not applied to it`,
          'remove one of them',
        );
  if (typeof reply === 'object' && reply.recorded === true && given.from === undefined)
    error(['reply'], 'only a case with `given.from` has a recorded reply');
  checkItems(body, error);
}

/** Returns what to write instead of an expectation of a turn. */
export function runHint(key: string): string {
  const hints: Readonly<Record<string, string>> = {
    rule: 'write rules',
    tool_calls: 'write calls',
    end: 'write outcome',
    started: 'write agents',
  };
  return hints[key] ?? 'test the turn in a case of its own';
}

function checkItems(
  { given = {} }: CaseBody,
  error: (path: readonly (string | number)[], message: string, hint?: string) => void,
): void {
  for (const key of ['inbox', 'messages'] as const)
    for (const [index, item] of (given[key] ?? []).entries()) {
      const kinds = ['user', 'source', 'assistant'].filter((kind) => kind in item);
      const isReply = key === 'messages' && ('tool_calls' in item || 'error' in item);
      if (kinds.length !== 1 && !(isReply && kinds.length === 0))
        error(
          ['given', key, index],
          `an entry of \`given.${key}\` has one of user, source${key === 'messages' ? ' and assistant' : ''}`,
        );
    }
  const parents = (given.agents ?? []).filter(({ relation }) => relation === 'parent');
  if (parents.length > 1) error(['given', 'agents'], 'an agent has one parent');
}
