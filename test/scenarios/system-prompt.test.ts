import { describe, expect, it } from 'vitest';
import { defineIngestor, defineTool } from '../../src/index.ts';
import { openEngine, play, speaks, systemOf } from './scenario.ts';

const tools = [
  defineTool({
    name: 'brew',
    description: 'Brews tea.',
    toolset: 'kitchen',
    parameters: { type: 'object', properties: { kind: { type: 'string' } } },
    context_contributions: [
      { id: 'late', order: 20, text: 'The kettle is hot.' },
      { id: 'early', order: 10, text: 'Tea is in the cupboard.' },
      { id: 'rare', order: 30, text: 'Only once.', condition: 'state.turn_count > 0' },
    ],
    execute: () => 'brewed',
  }),
  defineTool({
    name: 'pour',
    description: 'Pours.',
    toolset: 'kitchen',
    parameters: { type: 'object', properties: {} },
    execute: () => 'poured',
  }),
  defineTool({
    name: 'sell',
    description: 'Sells.',
    toolset: 'shop',
    parameters: { type: 'object', properties: {} },
    execute: () => 'sold',
  }),
];

const profile = `
name: Cook
type: associate
llm_config_ref: m
tool_access_policy: { allowed_toolsets: [kitchen], allowed_individual_tools: [sell] }
text_definitions: { motto: "Tea for {{ run.title }}." }
system_prompt_construction:
  system_prompt_segments:
    - { id: last, type: static_text, content: No order comes last. }
    - { id: motto, type: static_text, order: 20, content_key: motto }
    - { id: first, type: static_text, order: 10, content: "You are {{ meta.profile }}." }
    - { id: hidden, type: static_text, order: 30, condition: state.turn_count > 0, content: Welcome back. }
    - { id: mood, type: state_value, order: 40, source_state_path: team.shared, ingestor_params: { title: "### Mood" }, wrapper_tags: ["<mood>", "</mood>"], condition: "v['team.shared.mood'] != null" }
    - { id: tools, type: tool_description, order: 50 }
    - { id: notes, type: tool_contributed_context, order: 60, wrapper_tags: ["<notes>", "</notes>"] }
pre_turn_observers:
  - { id: mood, condition: state.turn_count == 1, action: { type: update_state, updates: [{ operation: set, path: team.shared.mood, value: merry }] } }
flow_decider:
  - { id: wait, action: { type: await_user_input } }
`;

async function twoTurns() {
  const model = speaks('One.', 'Two.');
  const engine = await openEngine({ yaml: [profile], models: { m: model }, tools });
  const run = await engine.launch({ profile: 'Cook', input: 'Hi.', title: 'two' });
  await run.settled();
  await run.send('Again.');
  await run.settled();
  return { run, model };
}

describe('[B.35] [B.36] A1.5 system prompt', () => {
  it('[A1.5.order] segments by order, those without one last; conditions decide; texts are filled in; two newlines between', async () => {
    const { model } = await twoTurns();
    const first = systemOf(model.requests[0]);
    expect(first.startsWith('You are Cook.\n\nTea for two.\n\n### Toolset: kitchen')).toBe(true);
    expect(first.endsWith('\n\nNo order comes last.')).toBe(true);
    expect(systemOf(model.requests[1])).toContain('Tea for two.\n\nWelcome back.\n\n<mood>');
  });

  it('[A1.5.static-text] [B.37] content, or a text definition by key', async () => {
    const { run } = await twoTurns();
    const texts = new Map(run.turns()[0]?.systemPrompt.segments.map((segment) => [segment.id, segment.text]));
    expect(texts.get('first')).toBe('You are Cook.');
    expect(texts.get('motto')).toBe('Tea for two.');
  });

  it('[A1.5.state-value] a state path through an ingestor with parameters, when its condition holds', async () => {
    const { model } = await twoTurns();
    expect(systemOf(model.requests[0])).not.toContain('mood');
    expect(systemOf(model.requests[1])).toContain('<mood>\n### Mood\n*   **Mood**: merry\n</mood>');
  });

  it('[A1.5.tool-description] the tools the agent may call, grouped by toolset', async () => {
    const { model } = await twoTurns();
    expect(systemOf(model.requests[0])).toContain(
      '### Toolset: kitchen\n* **brew**: Brews tea.\n* **pour**: Pours.\n\n### Toolset: shop\n* **sell**: Sells.',
    );
  });

  it('[A1.5.tool-contributed-context] [D1.30] what tools contribute is in the prompt, in order, under its condition', async () => {
    const { model } = await twoTurns();
    expect(systemOf(model.requests[0])).toContain('<notes>\nTea is in the cupboard.\n\nThe kettle is hot.\n</notes>');
    expect(systemOf(model.requests[1])).toContain('<notes>\nTea is in the cupboard.\n\nThe kettle is hot.\n\nOnly once.\n</notes>');
  });

  it('[A1.5.tool-contributed-context] a tool whose condition does not compile is refused where it is defined', () => {
    const define = (condition: string) =>
      defineTool({
        name: 'odd',
        description: 'x',
        parameters: { type: 'object', properties: {} },
        context_contributions: [{ id: 'c', text: 'x', condition }],
        execute: () => '',
      });
    expect(() => define('state.turn_cuont > 0')).toThrow(/turn_count/);
    expect(() => define('state.turn_count >')).toThrow(/condition/);
  });

  it('[A1.5.log] every segment is on the record: id, type, order, whether its condition held, its text and where it is declared', async () => {
    const { run, model } = await twoTurns();
    const segments = run.turns()[0]?.systemPrompt.segments ?? [];
    expect(segments.map(({ id, type, order, conditionMet }) => [id, type, order, conditionMet])).toEqual([
      ['first', 'static_text', 10, true],
      ['motto', 'static_text', 20, true],
      ['hidden', 'static_text', 30, false],
      ['mood', 'state_value', 40, false],
      ['tools', 'tool_description', 50, true],
      ['notes', 'tool_contributed_context', 60, true],
      ['last', 'static_text', 99, true],
    ]);
    expect(segments[0]?.source).toMatchObject({ file: expect.stringContaining('Cook.yaml'), line: 11 });
    const texts = segments.filter((segment) => segment.text !== '').map((segment) => segment.text);
    expect(texts.join('\n\n')).toBe(systemOf(model.requests[0]));
    expect(run.turns()[0]?.prompt.text.startsWith(systemOf(model.requests[0]))).toBe(true);
  });

  it('[A1.5.failure] a segment that fails is left out and recorded; the others stand, and the run goes on', async () => {
    const bad = defineIngestor({
      name: 'bad',
      ingest: () => {
        throw new Error('no words');
      },
    });
    const model = speaks('ok');
    const run = await play({
      yaml: [
        `
name: A
type: associate
llm_config_ref: m
system_prompt_construction:
  system_prompt_segments:
    - { id: bad, type: state_value, order: 1, source_state_path: team.shared, ingestor_id: bad }
    - { id: good, type: static_text, order: 2, content: Still here. }
`,
      ],
      models: { m: model },
      ingestors: [bad],
    });
    expect(systemOf(model.requests[0])).toBe('Still here.');
    expect(run.turns()[0]?.systemPrompt.segments[0]).toMatchObject({ id: 'bad', text: '', error: { message: 'no words' } });
    expect(run.state.outcome).toBe('success');
  });
});
