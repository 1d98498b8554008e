import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { call, openEngine, play, speaks } from './scenario.ts';

const staffed = `
name: Associate_Writer
type: associate
llm_config_ref: m
instructions: You write.
available_for_staffing: true
description_for_human: Writes.
tool_access_policy: { allowed_toolsets: [flow_control_end] }
`;

/** What an ingestor of the profile's choice makes of a payload, as the model was sent it. */
async function ingest(ingestor: string, payload: JsonValue, params: JsonObject = {}): Promise<string> {
  const profile = `
name: Reader
type: associate
llm_config_ref: m
instructions: You read.
text_definitions: { greeting: "Hello from {{ run.title }}" }
inbox_handling_strategies:
  - { source: THING, ingestor: ${ingestor}, params: ${JSON.stringify(params)} }
flow_decider: [{ id: wait, action: { type: await_user_input } }]
`;
  const engine = await openEngine({ yaml: [profile, staffed], models: { m: speaks('Ready.', 'Read.') } });
  const run = await engine.launch({ profile: 'Reader', input: 'Hi.', title: 'tea' });
  await run.settled();
  await run.send({ source: 'THING', payload });
  await run.settled();
  const input = run.turns()[1]?.inputs[0];
  expect(input?.ingestor.replace('_ingestor', '')).toBe(ingestor.replace('_ingestor', ''));
  return typeof input?.content === 'string' ? input.content : JSON.stringify(input?.content);
}

describe('[B.14] A1.4 ingestors, through the engine', () => {
  it('[A1.4.templated-content] a text definition by content_key, filled in; wrapper tags; a missing one says so', async () => {
    expect(await ingest('templated_content', { content_key: 'greeting' })).toBe('Hello from tea');
    expect(await ingest('templated_content', { content_key: 'greeting' }, { wrapper_tags: ['<x>', '</x>'] })).toBe(
      '<x>\nHello from tea\n</x>',
    );
    expect(await ingest('templated_content_ingestor', { content_key: 'gone' })).toBe("[Error: Template 'gone' not found]");
  });

  it('[A1.4.generic-message] the payload, or a template over it', async () => {
    expect(await ingest('generic_message', 'As it is.')).toBe('As it is.');
    expect(await ingest('generic_message', { city: 'Bern' }, { content_template: 'In {{ payload.city }}.' })).toBe('In Bern.');
  });

  const failing = { tool_name: 'fetch', tool_call_id: 'c', is_error: true, content: 'no network' };

  it('[A1.4.tool-result] [B.25] text as it is, data as Markdown, main_content_for_llm and _raw_json where the tool says so, errors as a report', async () => {
    const result = (content: JsonValue): JsonObject => ({ tool_name: 'fetch', tool_call_id: 'c', is_error: false, content });
    expect(await ingest('tool_result', result('plain words'))).toBe('plain words');
    expect(await ingest('tool_result', result({ city_name: 'Bern' }))).toBe('* **City Name:** Bern');
    expect(await ingest('tool_result', result({ main_content_for_llm: { a: 1 }, other: 2 }))).toBe('* **A:** 1');
    expect(await ingest('tool_result', result({ _raw_json: { a: 1 } }))).toBe('{\n  "a": 1\n}');
    const report = await ingest('tool_result', failing);
    expect(report).toMatch(/^<tool_error_report>[\s\S]*<\/tool_error_report>$/);
    expect(JSON.parse(report.replaceAll(/<\/?tool_error_report>/g, ''))).toEqual({
      tool_execution_failed: true,
      tool_name: 'fetch',
      error_details: 'no network',
    });
  });

  it('[A1.4.tool-result] a string that a trusted tool returned is what the model reads, unframed', async () => {
    const tool = defineTool({
      name: 'say',
      trust: 'trusted',
      description: 'x',
      parameters: { type: 'object', properties: {} },
      execute: () => '{"not": "touched"}\n',
    });
    const model = speaks(call('say'), 'ok');
    await play({
      yaml: [
        'name: A\ntype: associate\nllm_config_ref: m\ninstructions: x\ntool_access_policy: { allowed_individual_tools: [say] }\n',
      ],
      models: { m: model },
      tools: [tool],
    });
    const last = model.requests[1]?.prompt.at(-1);
    expect(last?.role === 'tool' ? last.content[0] : undefined).toMatchObject({
      output: { type: 'text', value: '{"not": "touched"}\n' },
    });
  });

  it('[A1.4.markdown-formatter] a title and one line per key, with renames and exclusions', async () => {
    expect(
      await ingest(
        'markdown_formatter',
        { city_name: 'Bern', secret: 1 },
        { title: '# Place', key_renames: { city_name: 'City' }, exclude_keys: ['secret'] },
      ),
    ).toBe('# Place\n*   **City**: Bern');
    expect(await ingest('markdown_formatter', { a_b: null })).toBe('### Contextual Information\n*   **A B**: (empty)');
  });

  it('[A1.4.work-modules] a title and the modules; none are said to be none', async () => {
    expect(
      await ingest('work_modules', { WM_1: { name: 'Tea', status: 'pending', module_id: 'WM_1' } }, { title: '## Plan' }),
    ).toBe('## Plan\n* **WM_1:**\n  * **Module Id:** WM_1\n  * **Name:** Tea\n  * **Status:** pending');
    expect(await ingest('work_modules', {})).toBe('No work modules are currently defined.');
  });

  it('[A1.4.available-associates] active, staffable profiles with description and toolsets, sorted by name', async () => {
    expect(await ingest('available_associates', null)).toBe(
      '### Available Associate Profiles\n* **Associate_Writer**\n  * **Description:** Writes.\n  * **Key Toolsets:** flow_control_end',
    );
    expect(await ingest('available_associates', ['Nobody'])).toContain('No associate profiles are available.');
  });

  it('[A1.4.principal-history-summary] the last messages, clipped, with what was left out', async () => {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      role: 'assistant',
      content: `message ${index} ${'x'.repeat(300)}`,
    }));
    const text = await ingest('principal_history_summary', messages);
    expect(text).toMatch(/^<principal_activity_log>\n… \(omitting 2 older messages\)\n\[assistant\] message 2 x+…\n/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(230);
    expect(await ingest('principal_history_summary', messages, { max_messages: 1 })).toContain('omitting 11 older messages');
  });

  it('[A1.4.json-history] pretty JSON between tags', async () => {
    expect(await ingest('json_history', [{ role: 'user', content: 'Hi' }])).toBe(
      '<message_history_json>\n[\n  {\n    "role": "user",\n    "content": "Hi"\n  }\n]\n</message_history_json>',
    );
  });

  it('[A1.4.tagged-content] the payload between tags', async () => {
    expect(await ingest('tagged_content', 'Why?', { wrapper_tags: ['<question>', '</question>'] })).toBe(
      '<question>\nWhy?\n</question>',
    );
  });

  it('[A1.4.observer-failure] which observer failed and what to do', async () => {
    const text = await ingest('observer_failure', { failed_observer_id: 'o', error_message: 'boom' });
    expect(text).toMatch(
      /^<system_error context_source='internal_observer'>\nThe observer 'o' failed: boom\n[\s\S]*do not stop[\s\S]*<\/system_error>$/,
    );
  });

  it('[A1.4.dispatch-result] status, failed preparation, and a record per module with deliverables and work log', async () => {
    const text = await ingest('dispatch_result', {
      status: 'PARTIAL_SUCCESS_SOME_PREP_FAILED',
      message: 'One of two.',
      assignment_execution_results: [
        {
          module_id: 'WM_1',
          associate_id: 'A_2',
          execution_status: 'completed_success',
          deliverables: { primary_summary: 'Brewed.' },
          error_details: null,
          new_messages_from_associate: [{ role: 'assistant', content: 'I brew.' }],
        },
      ],
      failed_preparation_details: [{ input: { module_id_to_assign: 'WM_9' }, reason: 'no such module' }],
    });
    for (const part of [
      '**Dispatch Operation Summary**',
      'PARTIAL_SUCCESS_SOME_PREP_FAILED',
      'Module WM_9: no such module',
      '--- Start of Record for Module WM_1 ---',
      '* **Primary Summary:** Brewed.',
      '[assistant]\nI brew.',
      '--- End of Record for Module WM_1 ---',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('[A1.4.user-prompt] the words of the user, and files beside them', async () => {
    expect(await ingest('user_prompt', { prompt: 'Hello' })).toBe('Hello');
    const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } };
    expect(JSON.parse(await ingest('user_prompt', { prompt: 'See:', parts: [image] }))).toEqual([
      { type: 'text', text: 'See:' },
      image,
    ]);
  });

  it('[A1.4.protocol-aware] a briefing in the order and with the titles of its schema', async () => {
    const schema = { type: 'object', properties: { task: { 'x-handover-title': 'What to do' }, notes: {} } };
    expect(
      await ingest('protocol_aware', {
        data: { notes: 'soon', task: 'Brew' },
        schema_for_rendering: { ...schema, 'x-handover-title': 'From the Partner' },
      }),
    ).toBe('## From the Partner\n* **What to do:** Brew\n* **Notes:** soon');
    expect(await ingest('protocol_aware', { data: { b: 1, a: 2 } })).toBe('## Agent Briefing\n* **A:** 2\n* **B:** 1');
  });

  it('[A1.4.recursive-markdown] keys sorted in title case, two spaces per level, empty values named', async () => {
    const text = await ingest('markdown_formatter', [{ b_c: { d: 1 }, a: [], e: ['x', 'y'] }], { title: '' });
    expect(text.split('\n')).toEqual([
      '- Item 1:',
      '  * **A:** (empty)',
      '  * **B C:**',
      '    * **D:** 1',
      '  * **E:**',
      '    - x',
      '    - y',
    ]);
  });
});
