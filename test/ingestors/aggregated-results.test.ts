import { describe, expect, it } from 'vitest';
import { aggregateResults, joinSummaries, type WorkerResult } from '../../src/core/team/aggregate-results.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { toWorkerResults } from '../../src/core/team/worker-results.ts';
import { ingestText } from './ingestor-view.ts';

const entry = (worker: string, operation: string, result: JsonValue, summary = ''): WorkerResult => ({
  worker,
  operation,
  summary,
  result,
});
const toolResult = (tool: string, content: JsonValue, isError = false): JsonValue => ({
  tool_name: tool,
  tool_call_id: 'c1',
  is_error: isError,
  content,
});

describe('results put together', () => {
  it('rows of one operation are one table, with whose they are when several brought some', () => {
    const rows = [{ a: 1 }, { b: null, a: 2 }];
    expect(aggregateResults([entry('x', 'list', rows), entry('y', 'list', { all: [{ c: true }] })])).toEqual({
      kind: 'table',
      operation: 'list',
      summary: '',
      columns: ['worker', 'a', 'b', 'c'],
      rows: [
        { worker: 'x', a: 1, b: null, c: null },
        { worker: 'x', a: 2, b: null, c: null },
        { worker: 'y', a: null, b: null, c: true },
      ],
    });
    expect(aggregateResults([entry('x', 'list', ['one', 2])])).toMatchObject({
      columns: ['value'],
      rows: [{ value: 'one' }, { value: 2 }],
    });
  });

  it.each<[string, readonly WorkerResult[]]>([
    ['operations differ', [entry('x', 'list', []), entry('x', 'read', [])]],
    ['one is no list', [entry('x', 'list', []), entry('y', 'list', 'none')]],
    ['an object holds more than a list', [entry('x', 'list', { rows: [], total: 0 })]],
    ['rows are lists', [entry('x', 'list', [[1], [2]])]],
    ['there is nothing', []],
  ])('sections, in the order of the results, when %s', (_, results) => {
    expect(aggregateResults(results)).toEqual({ kind: 'sections', summary: '', sections: results });
  });

  it('a format says which key holds the rows, and which columns are kept', () => {
    const results = [entry('x', 'list', { total: 1, rows: [{ a: 1, secret: 2 }] }), entry('x', 'list', { rows: [{ b: 3 }] })];
    expect(aggregateResults(results, { list: { rows: 'rows', columns: ['b', 'a'] } })).toMatchObject({
      columns: ['b', 'a'],
      rows: [
        { b: null, a: 1 },
        { b: 3, a: null },
      ],
    });
    // Names of what every object has are no formats, keys or columns.
    expect(aggregateResults([entry('x', 'constructor', { rows: [{}] })], {})).toMatchObject({ kind: 'table', columns: [] });
    expect(aggregateResults([entry('x', 'l', [{}])], { l: { columns: ['toString'] } })).toMatchObject({
      rows: [{ toString: null }],
    });
  });

  it('a joined summary has the first three, 200 characters each, and says how many more there are', () => {
    const long = '𝒯'.repeat(300);
    const joined = joinSummaries([long, ' two\n lines ', '', 'third', 'fourth', 'fifth']);
    const [first = '', ...others] = joined.split(' | ');
    expect([...first]).toHaveLength(200);
    expect(first.endsWith('𝒯…')).toBe(true);
    expect(others).toEqual(['two lines', 'third', 'and 2 more']);
  });
});

describe('what is read as results', () => {
  it('the results of tools, and what is in those of calls, dispatches and plans', () => {
    const reports = { status: 'success', reports: [{ status: 'success', profile: 'P', agent_id: 'P_2', output: '[{"n":1}]' }] };
    const failed = { status: 'error', profile: 'Q', output: '', error: { code: 'X', message: 'broke' } };
    const assignments = {
      assignment_execution_results: [
        { module_id: 'WM_1', associate_id: 'A_1', deliverables: { primary_summary: 'S', items: [1] }, error_details: null },
        { module_id: 'WM_2', associate_id: 'A_2', deliverables: {}, error_details: { message: 'gone' } },
      ],
    };
    const plan = { status: 'success', results: { kind: 'table', operation: 'o', rows: [{ n: 2 }] } };
    expect(
      toWorkerResults([
        { source: 'TOOL_RESULT', payload: toolResult('list', '[1, 2]') },
        toolResult('call_agents', JSON.stringify(reports)),
        toolResult('call_agent', JSON.stringify(failed), true),
        toolResult('dispatch_submodules', JSON.stringify(assignments)),
        toolResult('run_plan', JSON.stringify(plan)),
        toolResult('read', '{ not json', true),
        7,
      ]),
    ).toEqual([
      entry('list', 'list', [1, 2]),
      entry('P', 'P', [{ n: 1 }]),
      entry('Q', 'Q', { error: { code: 'X', message: 'broke' } }, 'error: broke'),
      entry('A_1', 'WM_1', { items: [1] }, 'S'),
      entry('A_2', 'WM_2', { error: { message: 'gone' } }, 'failed: gone'),
      entry('', 'o', [{ n: 2 }]),
      entry('read', 'read', { error: '{ not json' }, 'read failed: { not json'),
    ]);
  });
});

describe('the ingestor aggregated_results', () => {
  it('[A4.1.result-formatter] shows the results of the tools it has formats for as tables, and all others as they are', () => {
    const formats = { list_columns: { rows: 'columns', columns: ['name', 'type'] } };
    const columns = JSON.stringify({ table: 't', columns: [{ name: 'a|b', type: 'text\nlong', more: 1 }, { name: 'c' }] });
    const show = (payload: JsonValue): string => ingestText('aggregated_results', payload, { formats });
    expect(show(toolResult('list_columns', columns))).toBe(
      ['| name | type |', '| --- | --- |', '| a\\|b | text long |', '| c |  |'].join('\n'),
    );
    expect(show(toolResult('list_tables', columns))).toBe(columns);
    expect(show(toolResult('list_columns', 'no such table', true))).toContain('<tool_error_report>');
    expect(show(toolResult('list_columns', 'nothing here'))).toBe('nothing here');
  });

  it('[B.67] shows several results as one table or in sections, and data that holds none as data', () => {
    const two = [toolResult('list', '[{"n":1}]'), toolResult('list', '[{"n":2}]')];
    expect(ingestText('aggregated_results', two, { title: '## All' })).toBe('## All\n| n |\n| --- |\n| 1 |\n| 2 |');
    expect(ingestText('aggregated_results', [two[0] ?? null, toolResult('read', 'Words.')])).toBe(
      '### list\n- Item 1:\n  * **N:** 1\n\n### read\nWords.',
    );
    expect(ingestText('aggregated_results', 'just words')).toBe('just words');
  });
});
