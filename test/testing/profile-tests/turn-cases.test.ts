import { describe, expect, it } from 'vitest';
import { formatCase } from '../../../src/testing/suite/format-suite.ts';
import { outcomeOf } from './team.ts';

const hello = 'given: { inbox: [{ user: Hello }] }';

describe('a turn of a test file', () => {
  it('passes when everything expected holds', async () => {
    const { failures, problems, report } = await outcomeOf(`
  - name: all of it
    given:
      flags: { tired: true, turns: 4 }
      initial_params: { a: 1 }
      shared: { office: open }
      inbox: [{ user: File this. }]
    reply:
      text: I look first.
      tool_calls:
        - { tool: list_files, result: a.md }
        - { tool: write_file, args: { path: law.md, content: x } }
        - { tool: list_files, args: { glob: 5 } }
        - { tool: shred }
    expect:
      prompt:
        contains: [You file papers., File this.]
        lacks: You shred.
        says:
          - { text: You file papers., segment: instructions }
          - { text: Take a break., source: SELF_REFLECTION_PROMPT, ingestor: templated_content, observer: hint }
      observers: [hint, count]
      rule: call
      action: continue_with_tool
      tools: { offered: [list_files], not_offered: [delete_file], choice: auto }
      tool_calls:
        - { tool: list_files, status: ok, gate: look, contains: a.md }
        - tool: write_file
          args: { path: law.md }
          status: denied
          gate: no_writes
          contains: The law is not to be changed.
          gates: [{ id: no_writes, result: matched, values: { args.path: law.md } }]
        - { tool: list_files, status: error }
        - { tool: shred, status: error }
      state: { flags.turns: 5, team.shared.office: open, initial_params.a: 1, counters.turn_count: 1 }
      posted: [{ source: SELF_REFLECTION_PROMPT, observer: hint, to: Clerk }, { source: TOOL_RESULT, contains: a.md }]
      started: []
      end: false
`);
    expect(problems).toEqual([]);
    expect(failures).toEqual([]);
    expect(report.cases).toHaveLength(1);
  });

  it.each([
    ['prompt', 'prompt: { contains: You shred. }', 'does not contain this text'],
    ['prompt that lacks', 'prompt: { lacks: You file }', 'the prompt contains this text (segment: instructions)'],
    ['origin', 'prompt: { says: [{ text: Hello, segment: instructions }] }', 'the text has another origin'],
    ['observers', 'observers: [hint]', "observer 'hint' did not fire: its condition `flags.tired` did not hold"],
    ['quiet observers', 'observers: { quiet: [count] }', "observer 'count' fired"],
    ['rule', 'rule: call', 'another rule decided: call: false'],
    ['no rule', 'rule: null', 'another rule decided'],
    ['action', 'action: retry_turn', 'another action follows'],
    ['calls', 'tool_calls: [{ tool: list_files }]', 'other tools were called'],
    ['offered tools', 'tools: { offered: [list_filez] }', "'list_filez' is not offered (did you mean 'list_files'?)"],
    ['tools not offered', 'tools: { not_offered: [list_files] }', "'list_files' is offered"],
    ['tool choice', 'tools: { choice: required }', 'the tool choice is another one'],
    ['state', 'state: { flags.turns: 2 }', 'flags.turns has another value'],
    ['state without a root', 'state: { flgs.turns: 2 }', "'flgs.turns' is no path of the state"],
    ['items', 'posted: [{ source: NEWS }]', 'no such item was posted'],
    ['agents', 'started: [Clerk]', 'the turn started other agents'],
    ['end', 'end: success', 'the agent did not end'],
    ['output', 'output: Bye', 'the output does not contain this text'],
    ['error', 'error: broken', 'the error does not contain this text'],
    ['notes', 'notes: [CONDITION_FAILED]', 'there is no note CONDITION_FAILED'],
  ])('fails at the place of the expectation: %s', async (_, expectation, message) => {
    const { failures, problems } = await outcomeOf(
      `  - name: a\n    ${hello}\n    reply: Hello.\n    expect: { ${expectation} }\n`,
    );
    expect(problems).toEqual([]);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain(message);
    // Inside the expectation, which begins at column 15 of line 6.
    expect(failures[0]).toMatch(/^6:(?:1[5-9]|[2-9]\d) /);
  });

  it('F82: fails at a gate that judged a call otherwise, and names what it saw', async () => {
    const { failures, problems } = await outcomeOf(`
  - name: a
    ${hello}
    reply: { tool_calls: [{ tool: write_file, args: { path: draft.md, content: x }, result: ok }] }
    expect:
      tool_calls:
        - tool: write_file
          gates: [{ id: no_writes, result: matched }, { id: no_writes, result: not_matched, values: { args.path: draft.md } }]
`);
    expect(problems).toEqual([]);
    expect(failures).toEqual([expect.stringMatching(/^10:19 gate 'no_writes' judged the call otherwise/)]);
    const unknown = await outcomeOf(
      `  - name: a\n    ${hello}\n    reply: Hi.\n    expect: { tool_calls: [{ tool: write_file, gates: [{ id: lock }] }] }\n`,
    );
    expect(unknown.problems.join('\n')).toContain("there is no gate of Clerk 'lock'");
  });

  it('shows expected and actual lines', async () => {
    const { report } = await outcomeOf(`  - name: says\n    ${hello}\n    reply: Hello.\n    expect: { rule: quiet }\n`);
    const [result] = report.cases;
    if (result === undefined) throw new Error('no case');
    const text = formatCase(result);
    expect(text).toContain('FAILED Clerk: says\n');
    expect(text).toMatch(/Clerk\.test\.yaml:6:21: another rule decided: call: false \(.*\); quiet: false \(.*\); done: matched/);
    expect(text).toContain('    - quiet\n    + done');
  });

  it('plays earlier messages as turns: counters, history and items are those of the engine', async () => {
    const { failures } = await outcomeOf(`
  - name: history
    given:
      messages:
        - user: One.
        - assistant: I look.
          tool_calls: [{ tool: list_files, result: "found: b.md" }]
        - assistant: There is b.md.
        - { source: NEWS, payload: { headline: Rain } }
        - user: Two.
        - assistant: Noted.
      inbox: [{ user: Three. }]
    reply: Bye.
    expect:
      prompt:
        contains: [One., "found: b.md", There is b.md., Rain, Two., Noted., Three.]
        says: [{ text: "found: b.md", tool: list_files, source: TOOL_RESULT }]
      state: { flags.turns: 4, counters.turn_count: 4, counters.tool_call_count: 1, counters.no_tool_call_streak: 1 }
`);
    expect(failures).toEqual([]);
  });

  it('puts other agents, modules and a parent around the agent', async () => {
    const { failures } = await outcomeOf(
      `
  - name: among others
    profile: Helper
    given:
      role: Reader
      module: WM_1
      work_modules: { WM_1: { name: Tea, status: ongoing } }
      agents:
        - { profile: Clerk, relation: parent, flags: { mood: good } }
        - { profile: Helper, status: ended, output: Before. }
      inbox: [{ user: Go. }]
    reply: Done.
    expect:
      prompt: { contains: "Reader works on Tea for Clerk_1, who is good." }
      end: success
      output: Done.
`,
      {
        'profiles/Helper.yaml':
          'name: Helper\ntype: associate\nllm_config_ref: default\ninstructions: "{{ meta.role_name }} works on {{ team.work_modules.WM_1.name }} for {{ meta.parent_agent_id }}, who is {{ parent.flags.mood }}."\n',
      },
    );
    expect(failures).toEqual([]);
  });

  it('fails when the turn is never taken, and says what would wake the agent', async () => {
    const { failures } = await outcomeOf('  - name: a\n    reply: Hello.\n    expect: { rule: done }\n');
    expect(failures).toEqual([
      '3:5 the turn was never taken: nothing wakes its agent, which is ready; give it an inbox item, such as { user: Hello }',
    ]);
  });

  it('fails when the agent ended before the turn', async () => {
    const { failures } = await outcomeOf(
      '  - name: a\n    given: { messages: [{ user: Hello }, { assistant: "" }], inbox: [{ user: More }] }\n    reply: Hello.\n    expect: { rule: done }\n',
    );
    expect(failures[0]).toContain('turn 2 of 2 was never taken: its agent ended before it (error)');
  });

  it('fails a model call that the test fails', async () => {
    const { failures } = await outcomeOf(
      `  - name: a\n    ${hello}\n    reply: { error: The provider is down. }\n    expect: { error: The provider is down., end: error }\n`,
    );
    expect(failures).toEqual([]);
  });
});

describe('tools of a test', () => {
  it('none is run: calls without a result get a text that says so', async () => {
    const { failures } = await outcomeOf(`
  - name: a
    ${hello}
    reply:
      tool_calls: [{ tool: write_file, args: { path: real.md, content: x } }, { tool: list_files }, { tool: list_files, args: { glob: b }, error: Disk gone. }]
    results:
      - { tool: list_files, args: { glob: b }, result: never }
      - { tool: list_files, result: { files: [a.md] } }
    expect:
      tool_calls:
        - { tool: write_file, status: ok, contains: The test gives no result for this call. }
        - { tool: list_files, status: ok, contains: a.md }
        - { tool: list_files, status: error, contains: Disk gone. }
`);
    expect(failures).toEqual([]);
  });

  it('those of a server are declared, and nothing connects', async () => {
    const folder = {
      'toolsets/far.yaml': 'type: toolset\nname: far\nkind: mcp\nsettings: { url: "http://127.0.0.1:9/mcp" }\n',
      'profiles/Caller.yaml':
        'name: Caller\ntype: partner\nllm_config_ref: default\ninstructions: You call.\ntool_access_policy: { allowed_toolsets: [far] }\n',
      'profiles/Caller.test.yaml': `
profile: Caller
tools: { far_ping: { toolset: far, description: Pings., parameters: { type: object, required: [host] } } }
cases:
  - name: a
    ${hello}
    reply: { tool_calls: [{ tool: far_ping, args: { host: h }, result: pong }, { tool: far_ping }] }
    expect:
      tools: { offered: [far_ping] }
      tool_calls: [{ tool: far_ping, status: ok, contains: pong }, { tool: far_ping, status: error, contains: host }]
`,
    };
    const { failures, problems } = await outcomeOf(
      `  - name: b\n    ${hello}\n    reply: Hi.\n    expect: { rule: done }\n`,
      folder,
    );
    expect(problems).toEqual([]);
    expect(failures).toEqual([]);
  });
});

describe('a run of a test file', () => {
  const boss = {
    'profiles/Boss.yaml':
      'name: Boss\ntype: partner\nllm_config_ref: default\ninstructions: You lead.\ncallable_profiles: [Hand]\ntool_access_policy: { allowed_toolsets: [agents], allowed_individual_tools: [write_file] }\ntool_gates: [{ id: ask, tools: [write_file], verdict: ask }]\n',
    'profiles/Hand.yaml': 'name: Hand\ntype: associate\nllm_config_ref: default\ninstructions: You work.\n',
  };

  it('plays a team by replies, with people, and expects over all of it', async () => {
    const { failures, problems } = await outcomeOf(
      `
  - name: team
    profile: Boss
    run:
      input: Write it.
      replies:
        Boss:
          - tool_calls: [{ tool: call_agent, args: { profile: Hand, input: How? } }]
          - tool_calls: [{ tool: write_file, args: { path: a.md, content: So. }, result: Written. }]
          - It is written.
        Hand: [So.]
      people: [{ approve: true }]
    expect:
      status: completed
      outcome: success
      output: It is written.
      agents: [{ profile: Hand, count: 1, outcome: success }]
      turns: { Boss: 3, Hand: 1 }
      calls: [{ by: Boss, tool: call_agent, contains: So. }, { tool: write_file, gate: ask, status: ok }]
      people: true
`,
      boss,
    );
    expect(problems).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('says which reply is missing', async () => {
    const { failures } = await outcomeOf(
      '  - name: team\n    profile: Boss\n    run: { input: Go., replies: { Hand: [Hi.] } }\n    expect: { outcome: success, turns: 7 }\n',
      boss,
    );
    expect(failures[0]).toContain('the test has 0 replies for Boss, and Boss_1 asks for number 1');
    expect(failures[1]).toContain('other number of turns');
  });

  it('answers from a script', async () => {
    const { failures } = await outcomeOf(
      '  - name: script\n    run: { input: Hi., script: scripts/s.yaml }\n    expect: { status: awaiting, output: Hello., rules: [done], turns: 1 }\n',
    );
    expect(failures).toEqual([]);
  });
});
