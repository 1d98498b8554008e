import { describe, expect, it, vi, onTestFinished } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from './served-team.ts';

const profile = `${waitsForUser}instructions: 'Be brief, \${TONE:-kind}.'\n`;

async function edited(edits: readonly unknown[], request?: Readonly<Record<string, string>>) {
  const team = await servedTeam({ profile, replies: [{ text: 'one' }, { text: 'two' }] });
  const run = await team.launch('Go.', request === undefined ? {} : { request });
  await run.settled();
  const { seq } = run.state;
  const response = await fetch(`${team.served.url}/api/runs/${run.id}/profiles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ edits }),
  });
  return { status: response.status, body: await response.text(), isChanged: run.state.seq !== seq, run };
}

const starts = 'kind: mcp\nsettings: { command: sh, args: [-c, "touch started"], sandbox: off }\n';

describe('edits of profiles by whoever reaches a run', () => {
  it.each<readonly [string, readonly unknown[], string]>([
    ['a toolset that starts a program', [{ create: `name: tools\ntype: toolset\n${starts}` }], 'toolset'],
    ['a toolset by its keys', [{ create: { name: 'tools', type: 'toolset', kind: 'shell' } }], 'toolset'],
    ['a toolset with a mark at its beginning', [{ create: `\uFEFFtype: toolset\nname: tools\n${starts}` }], 'toolset'],
    ['a profile that becomes a toolset', [{ update: 'Root', with: `name: Root\ntype: "tool\\x73et"\n${starts}` }], 'toolset'],
    [
      'an LLM config that sends keys somewhere else',
      [
        {
          create:
            'name: m2\ntype: llm_config\nconfig: { model: openai/x, base_url: "http://192.0.2.1/", api_key: { _type: from_env, var: OPENAI_API_KEY } }\n',
        },
      ],
      'llm_config',
    ],
    ['a team', [{ create: 'name: other\ntype: team\ntitles: { llm_config: m }\n' }], 'team'],
    ['a protocol', [{ create: 'name: x\nprotocol_name: y\n' }], 'handover_protocol'],
  ])('are refused when they hold %s', async (_, edits, kind) => {
    const { status, body, isChanged } = await edited(edits);
    expect(status, body).toBe(400);
    expect(body).toContain(`and this would be a file of kind ${kind}`);
    expect(isChanged).toBe(false);
  });

  it.each([
    [{ update: 'Root', with: { instructions: 'Say ${STORE_ADDRESS}.' } }],
    [
      {
        update: 'Root',
        with: 'name: Root\ntype: associate\nllm_config_ref: m\ninstructions: "Say \\x24{STORE_ADDRESS:-nothing}."\n',
      },
    ],
    [{ create: { name: 'Two', llm_config_ref: 'm', limits: { max_turns: '${STORE_ADDRESS}' } } }],
  ])('read no variable of the environment that the profiles did not: %j', async (edit) => {
    vi.stubEnv('STORE_ADDRESS', 'store://me:canary@host');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { status, body, isChanged } = await edited([edit]);
    expect(status, body).toBe(400);
    expect(body).toContain('${STORE_ADDRESS} is new');
    expect(body).not.toContain('canary');
    expect(isChanged).toBe(false);
  });

  it('may use the variables that the profiles use, those of the run, and what is none', async () => {
    const instructions = 'Be ${TONE:-loud} at ${PLACE:-home}, for \\${MONEY}.';
    const { status, body, run } = await edited([{ update: 'Root', with: { instructions } }], { PLACE: 'sea' });
    expect(status, body).toBe(200);
    await run.send('more');
    await run.settled();
    const system = run.turns().at(-1)?.prompt;
    expect(JSON.stringify(system)).toContain('Be loud at sea, for ${MONEY}.');
  });
});
