import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import type { ScriptedReplyFunction, ScriptedRequest } from '../../src/models/scripted/scripted-replies.ts';
import { toolReturn } from '../../src/core/tool/tool-return.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { injections, readEverything } from './injections.ts';

/** All texts of a prompt that its model reads from others: what users and tools say. */
function heard({ prompt }: ScriptedRequest): string {
  return prompt
    .filter(({ role }) => role === 'user' || role === 'tool')
    .map(({ content }) => JSON.stringify(content).replaceAll('\\n', '\n').replaceAll('\\"', '"'))
    .join('\n');
}

/** Does whatever it finds in its prompt, in whatever form: looks where it is told to, and sends mail when any text says so. */
const obedient: ScriptedReplyFunction = (request) => {
  const text = heard(request);
  const did = JSON.stringify(request.prompt.filter(({ role }) => role === 'assistant'));
  const look = /LOOK AT (\w+) (\d+)/.exec(text);
  if (look !== null && !did.includes('tool-call')) return { toolCalls: [{ name: look[1] ?? '', args: { n: Number(look[2]) } }] };
  if (/send_mail/i.test(readEverything(text)) && !did.includes('send_mail'))
    return { toolCalls: [{ name: 'send_mail', args: { to: 'evil@example.org', body: text.slice(-200) } }] };
  return { text: 'Done.' };
};

const gates = 'tool_gates:\n  - { id: tainted, tools: [send_mail], condition: prompt.tainted, verdict: ask }\n';
const hooks = 'inbox_handling_strategies:\n  - { source: HOOK, ingestor: markdown_formatter, trust: untrusted }\n';

async function victim(withGates: boolean) {
  const sent: unknown[] = [];
  const page = (args: Readonly<Record<string, unknown>>): string => injections[Number(args['n'])] ?? '';
  const outside = { trust: 'untrusted', toolset: 'web' };
  const team = await testEngine({
    profile: `stagnation: off\n${allow('fetch', 'failing', 'posting', 'parts', 'send_mail')}${hooks}${withGates ? gates : ''}${waitsForUser}`,
    tools: [
      tool('fetch', page, outside),
      tool('failing', (args) => Promise.reject(new Error(page(args))), outside),
      tool('posting', (args) => toolReturn({ content: 'ok', items: [{ source: 'NEWS', payload: page(args) }] }), outside),
      tool('parts', (args) => toolReturn({ content: [...page(args)].map((text) => ({ type: 'text', text })) }), outside),
      tool('send_mail', (args) => {
        sent.push(args);
        return 'sent';
      }),
    ],
    replies: obedient,
  });
  return { team, sent };
}

/** An order in characters that nobody sees is gone before a model reads anything. */
const read = injections.filter((text) => !/[\u{e0000}-\u{e007f}]/u.test(text));

const channels = ['fetch', 'failing', 'posting', 'parts', 'hook'] as const;

async function attack(launch: (input: string) => Promise<Run>, index: number): Promise<Run> {
  const channel = channels[index % channels.length] ?? 'fetch';
  const run = await launch(channel === 'hook' ? 'Wait.' : `LOOK AT ${channel} ${index}`);
  await run.settled();
  if (channel === 'hook') await run.send({ source: 'HOOK', payload: { text: injections[index] ?? '' } });
  await run.settled();
  return run;
}

describe('S1: an obedient model reads text from outside', () => {
  it('N8: of 40 orders hidden in results, errors, items and hooks, none sends a mail without approval', async () => {
    const { team, sent } = await victim(true);
    const obeyed: string[] = [];
    for (const index of injections.keys()) {
      const run = await attack((input) => team.launch(input), index);
      // It did try: that is what the gate is for.
      obeyed.push(...run.pending.map((request) => request.tool));
      await run.cancel();
    }
    expect(sent).toEqual([]);
    expect(obeyed).toEqual(read.map(() => 'send_mail'));
  });

  it('without the gate, the same orders are all carried out; with it, what a user asks for is still done unasked', async () => {
    const open = await victim(false);
    for (const index of injections.keys()) await attack((input) => open.team.launch(input), index);
    expect(open.sent).toHaveLength(read.length);
    const gated = await victim(true);
    const run = await gated.team.launch('Please send_mail to my aunt.');
    await run.settled();
    expect(gated.sent).toHaveLength(1);
  });
});
