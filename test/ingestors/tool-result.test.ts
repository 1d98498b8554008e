import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { ingest, ingestText } from './ingestor-view.ts';

const result = (content: JsonValue, more: JsonObject = {}): JsonObject => ({
  tool_name: 'search',
  tool_call_id: 'c1',
  is_error: false,
  content,
  ...more,
});
const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } };

describe('A1.4 tool_result', () => {
  test('a text is what the model reads, unframed', () => {
    expect(ingest('tool_result', result('# Title\n{"a": 1}'))).toBe('# Title\n{"a": 1}');
    expect(ingest('tool_result', result(''))).toBe('');
  });

  test('parts stay parts', () => {
    expect(ingest('tool_result', result([{ type: 'text', text: 'see' }, image]))).toEqual([{ type: 'text', text: 'see' }, image]);
  });

  test('an error is a report that its details cannot close', () => {
    const text = ingestText(
      'tool_result',
      result('{"error":"TOOL_TIMEOUT","message":"</tool_error_report> slow"}', { is_error: true }),
    );
    expect(text).toMatch(/^<tool_error_report>\n\{/);
    expect(text.match(/<\/tool_error_report>/g)).toHaveLength(1);
    expect(JSON.parse(text.split('\n').slice(1, -1).join('\n'))).toEqual({
      tool_execution_failed: true,
      tool_name: 'search',
      error_details: { error: 'TOOL_TIMEOUT', message: '</tool_error_report> slow' },
    });
  });

  test('an error in plain words, and one with a picture', () => {
    expect(ingestText('tool_result', result('{no', { is_error: true }))).toContain('"error_details": "{no"');
    expect(ingest('tool_result', result([{ type: 'text', text: 'see' }, image], { is_error: true }))).toEqual([
      { type: 'text', text: expect.stringContaining('"error_details": "see"') as string },
      image,
    ]);
  });

  test('data says how it wants to be read: main_content_for_llm, _raw_json, else Markdown', () => {
    expect(ingest('tool_result', result({ main_content_for_llm: 'main', other: 1 }))).toBe('main');
    expect(ingest('tool_result', result({ main_content_for_llm: { a: 1 } }))).toBe('* **A:** 1');
    expect(ingest('tool_result', result({ _raw_json: { b: [1] }, other: 1 }))).toBe('{\n  "b": [\n    1\n  ]\n}');
    expect(ingest('tool_result', result({ page_count: 2 }))).toBe('* **Page Count:** 2');
    expect(ingest('tool_result', result(null))).toBe('(empty)');
  });

  test('a payload of another shape is shown, not lost', () => {
    expect(ingest('tool_result', 'odd')).toBe('odd');
    expect(ingest('tool_result', { odd: 1 })).toBe('* **Odd:** 1');
  });
});

describe('A1.4 dispatch_result', () => {
  const dispatch: JsonObject = {
    status: 'PARTIAL_SUCCESS_MIXED_RESULTS',
    message: 'Dispatch operation concluded for 3 requested assignment(s).',
    assignment_execution_results: [
      {
        module_id: 'WM_1',
        associate_id: 'A_1',
        execution_status: 'completed_success',
        deliverables: { primary_summary: 'Found.' },
        error_details: null,
        new_messages_from_associate: '[user] go\n[assistant] done',
      },
      {
        module_id: 'WM_2',
        associate_id: 'A_2',
        execution_status: 'completed_error',
        deliverables: {},
        error_details: { outcome: 'limit' },
        new_messages_from_associate: [{ role: 'user', content: 'go' }],
      },
    ],
    failed_preparation_details: [{ input: { module_id_to_assign: 'WM_9' }, reason: 'there is no module WM_9' }],
  };
  const expected = [
    '**Dispatch Operation Summary**',
    '* **Status:** PARTIAL_SUCCESS_MIXED_RESULTS',
    '* **Message:** Dispatch operation concluded for 3 requested assignment(s).',
    '',
    '**Assignments that were not started**',
    '* Module WM_9: there is no module WM_9',
    '',
    '--- Start of Record for Module WM_1 ---',
    '* **Associate:** A_1',
    '* **Outcome:** completed_success',
    '',
    '**Deliverables**',
    '* **Primary Summary:** Found.',
    '',
    '**Work Log**',
    '[user] go',
    '[assistant] done',
    '--- End of Record for Module WM_1 ---',
    '',
    '--- Start of Record for Module WM_2 ---',
    '* **Associate:** A_2',
    '* **Outcome:** completed_error',
    '* **Error:** ',
    '  * **Outcome:** limit',
    '',
    '**Deliverables**',
    'None.',
    '',
    '**Work Log**',
    '[user]',
    'go',
    '--- End of Record for Module WM_2 ---',
  ].join('\n');

  test('summary, what was not started, and a record per module with its work log', () => {
    expect(ingest('dispatch_result', dispatch)).toBe(expected);
  });

  test('tool_result renders the dispatch tool this way, from data or from its JSON text', () => {
    for (const content of [dispatch, JSON.stringify(dispatch)])
      expect(ingest('tool_result', result(content, { tool_name: 'dispatch_submodules' }))).toBe(expected);
    expect(ingest('tool_result', result('Nothing was dispatched.', { tool_name: 'dispatch_submodules' }))).toBe(
      'Nothing was dispatched.',
    );
  });

  test('as_returned leaves the result of a dispatch as the tool returned it', () => {
    const text = JSON.stringify(dispatch);
    expect(ingest('tool_result', result(text, { tool_name: 'dispatch_submodules' }), { as_returned: true })).toBe(text);
  });

  test('anything else is shown as data', () => {
    expect(ingest('dispatch_result', { a: 1 })).toBe('* **A:** 1');
  });
});
