import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { emptyModule } from '../../src/core/team/work-module.ts';
import { renderMarkdown } from '../../src/ingestors/text/markdown.ts';
import { ingest, ingestText, profileWith, viewWith } from './ingestor-view.ts';

describe('A1.4 recursive markdown rule', () => {
  test('sorted keys in title case, two spaces per level, list items at the level of their list', () => {
    expect(renderMarkdown({ user_query: 'q', deep: { b: 1, a: [true, { x: null }] }, none: [], blank: '' })).toBe(
      [
        '* **Blank:** (empty)',
        '* **Deep:**',
        '  * **A:**',
        '    - true',
        '    - Item 2:',
        '      * **X:** (empty)',
        '  * **B:** 1',
        '* **None:** (empty)',
        '* **User Query:** q',
      ].join('\n'),
    );
  });

  test("the schema's order and x-handover-title; unknown keys follow, sorted", () => {
    const schema = {
      properties: {
        z: { 'x-handover-title': 'First' },
        a: { type: 'array', items: { properties: { k: { 'x-handover-title': 'Key' } } } },
      },
    };
    expect(renderMarkdown({ a: [{ k: 1 }], c: 3, b: 2, z: 1 }, schema)).toBe(
      ['* **First:** 1', '* **A:**', '  - Item 1:', '    * **Key:** 1', '* **B:** 2', '* **C:** 3'].join('\n'),
    );
  });

  test('F9: text of several lines stands below its label, word for word', () => {
    expect(renderMarkdown({ note: 'one\n\ntwo' })).toBe('* **Note:**\none\n\ntwo');
    const makefile = 'all:\n\tcc -o a a.c\n';
    expect(renderMarkdown({ a: { files: [{ content: makefile }] } })).toContain(makefile);
  });

  test('data nested very deep ends instead of overflowing', () => {
    let value: unknown = 1;
    for (let level = 0; level < 1_000; level += 1) value = { a: value };
    expect(renderMarkdown(value as never).split('\n').length).toBeLessThan(60);
  });
});

describe('A1.4 markdown_formatter', () => {
  test('a title and one line per field', () => {
    expect(ingest('markdown_formatter', { user_id: 7, tags: ['a'], note: null })).toBe(
      '### Contextual Information\n*   **User Id**: 7\n*   **Tags**:\n  - a\n*   **Note**: (empty)',
    );
  });

  test('key_renames and exclude_keys', () => {
    expect(
      ingest(
        'markdown_formatter',
        { content: 'go', secret: 1, __proto: 2 },
        { title: '### Directive', key_renames: { content: 'Instruction' }, exclude_keys: ['secret'] },
      ),
    ).toBe('### Directive\n*   **Instruction**: go\n*   **Proto**: 2');
  });

  test('texts and lists have no fields; an empty title is left out', () => {
    expect(ingest('markdown_formatter', 'go', { title: '' })).toBe('go');
    expect(ingest('markdown_formatter', ['a', 'b'], { title: '' })).toBe('- a\n- b');
    expect(ingest('markdown_formatter', {})).toBe('### Contextual Information\n(empty)');
  });
});

describe('A1.4 work_modules', () => {
  test.each([null, {}, [], { work_modules: {} }])('%j: none are defined', (payload) => {
    expect(ingest('work_modules', payload)).toBe('No work modules are currently defined.');
  });

  test('the map of modules under a title, each by its id, what matters first', () => {
    const modules = { WM_1: { status: 'pending', name: 'Find', module_id: 'WM_1', updated_at: 1_795_394_135_505 } };
    const expected =
      '### Current Work Modules\n* **WM_1:**\n  * **Module Id:** WM_1\n  * **Name:** Find\n  * **Status:** pending\n  * **Updated At:** 2026-11-23T00:35:35.505Z';
    expect(ingest('work_modules', modules)).toBe(expected);
    expect(ingest('work_modules', { work_modules: modules })).toBe(expected);
    expect(ingestText('work_modules', [modules.WM_1], { title: '## Plan' })).toMatch(
      /^## Plan\n- Item 1:\n {2}\* \*\*Module Id:\*\* WM_1/,
    );
  });

  test('F35: a record of the engine: times in UTC, without what is empty; deliverables are not altered', () => {
    const at = 1_795_394_135_505;
    const attempt = { dispatch_id: 'D_1', started_at: at, outcome: 'running' };
    const module = {
      ...emptyModule('WM_1', at),
      name: 'Find',
      assignee_history: [attempt],
      deliverables: { created_at: at, findings: [] },
      review_info: { message: 'Look.', error_details: null },
    };
    expect(ingest('work_modules', { WM_1: module as unknown as JsonObject }, { title: '' })).toBe(
      [
        '* **WM_1:**',
        '  * **Module Id:** WM_1',
        '  * **Name:** Find',
        '  * **Status:** pending',
        '  * **Deliverables:**',
        `    * **Created At:** ${at}`,
        '    * **Findings:** (empty)',
        '  * **Review Info:**',
        '    * **Message:** Look.',
        '  * **Assignee History:**',
        '    - Item 1:',
        '      * **Dispatch Id:** D_1',
        '      * **Outcome:** running',
        '      * **Started At:** 2026-11-23T00:35:35.505Z',
        '  * **Created At:** 2026-11-23T00:35:35.505Z',
        '  * **Updated At:** 2026-11-23T00:35:35.505Z',
      ].join('\n'),
    );
  });
});

describe('A1.4 available_associates', () => {
  const profiles = [
    profileWith({ name: 'Writer', description: 'Writes.', allowedToolsets: ['files'], allowedTools: ['spell'] }),
    profileWith({ name: 'Reader', description: 'Reads.\nA lot.' }),
    profileWith({ name: 'Asleep', isActive: false }),
    profileWith({ name: 'Gone', isDeleted: true }),
    profileWith({ name: 'Boss', availableForStaffing: false }),
  ];
  const view = viewWith({ profiles });

  test('those that may be staffed, sorted by name, with description and toolsets', () => {
    expect(ingest('available_associates', null, {}, view)).toBe(
      [
        '### Available Associate Profiles',
        '* **Reader**',
        '  * **Description:** Reads.',
        '    A lot.',
        '  * **Key Toolsets:** (none)',
        '* **Writer**',
        '  * **Description:** Writes.',
        '  * **Key Toolsets:** files, spell',
      ].join('\n'),
    );
  });

  test('a list of names chooses among them', () => {
    expect(ingestText('available_associates', ['Writer', 'Boss', 'nobody'], {}, view).match(/^\* \*\*/gm)).toHaveLength(1);
    expect(ingest('available_associates', ['nobody'], {}, view)).toBe(
      '### Available Associate Profiles\nNo associate profiles are available.',
    );
  });
});

describe('A1.4 protocol_aware', () => {
  test("heading, then every field in the schema's order under its x-handover-title", () => {
    const payload = {
      data: { module_details: { name: 'Find' }, goal: 'g', extra: 1 },
      schema_for_rendering: {
        'x-handover-title': 'Your Briefing',
        properties: { goal: { 'x-handover-title': 'The Goal' }, module_details: {} },
      },
    };
    expect(ingest('protocol_aware', payload)).toBe(
      '## Your Briefing\n* **The Goal:** g\n* **Module Details:**\n  * **Name:** Find\n* **Extra:** 1',
    );
  });

  test('without a title it is the Agent Briefing; without data there is nothing in it', () => {
    expect(ingest('protocol_aware', { data: {}, schema_for_rendering: {} })).toBe('## Agent Briefing\n(empty)');
    expect(ingest('protocol_aware', { goal: 'g' })).toBe('## Agent Briefing\n* **Goal:** g');
  });

  test('messages are shown as a conversation', () => {
    const data = {
      inherited_messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello\nthere' },
      ],
    };
    expect(
      ingest('protocol_aware', {
        data,
        schema_for_rendering: { properties: { inherited_messages: { 'x-handover-title': 'Before' } } },
      }),
    ).toBe('## Agent Briefing\n* **Before:**\n[user]\nhi\n\n[assistant]\nhello\nthere');
  });
});
