import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import { createTeamTools } from '../../../src/team/create-team-tools.ts';
import { toolsOfModule } from '../../../src/toolsets/module/tools-of-module.ts';

const request = { toolset: 'my', options: { unit: 'C' }, hash: 'abc' };
const tool = (name: string): ReturnType<typeof defineTool> =>
  defineTool({ name, description: 'Says its name.', execute: () => name });
const namesOf = async (exports: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
  (await toolsOfModule(exports, request)).map(({ name }) => name);

describe('F25: the tools that a file exports', () => {
  it('are its default export (a tool, a list, a function that makes them) and every other export that is a tool', async () => {
    const one = tool('one');
    expect(await namesOf({ default: one })).toEqual(['my_one']);
    expect(await namesOf({ default: [one, tool('two')], three: tool('three'), limit: 3, help: () => '' })).toEqual([
      'my_one',
      'my_two',
      'my_three',
    ]);
    expect(await namesOf({ default: [one], one })).toEqual(['my_one']);
    const made = async ({ unit }: { readonly unit: string }): Promise<readonly unknown[]> => await Promise.resolve([tool(unit)]);
    expect(await namesOf({ default: made })).toEqual(['my_C']);
  });

  it('are of the toolset, bound to the code, unsafe and untrusted unless they say otherwise', async () => {
    const [plain] = await toolsOfModule({ plain: { name: 'x', description: 'y', execute: () => 'z' } }, request);
    expect(plain).toMatchObject({ toolset: 'my', effect: 'unsafe', trust: 'untrusted', fingerprint: 'abc' });
    const checked = defineTool({ name: 'pay', description: 'Pays.', effect: 'verifiable', verify: 'paid', execute: () => '' });
    expect((await toolsOfModule({ checked, paid: tool('paid') }, request))[0]).toMatchObject({ verify: 'my_paid' });
  });

  it.each([
    ['no tool', { limit: 3 }, /exports no tool; write: export default defineTool/],
    ['a text', { default: 'tool' }, /default export must be a tool or a list of tools, and is string/],
    ['nothing made', { default: () => undefined }, /what its default export returns must be/],
    ['no execute', { broken: { name: 'x', description: 'y' } }, /'x': execute must be a function/],
    ['one name twice', { one: tool('x'), two: tool('x') }, /two tools are named 'x'/],
    ['a tool that decides', { default: createTeamTools({})[0] }, /decides about the run.*use defineTool/],
    [
      'a getter that throws',
      {
        get x(): unknown {
          return {
            get name(): string {
              throw new Error('hostile');
            },
          };
        },
      },
      /hostile/,
    ],
  ])('%s is an error that says so', async (_, exports, message) => {
    await expect(toolsOfModule(exports, request)).rejects.toThrow(message);
  });

  it('a getter that answers otherwise the second time changes nothing', async () => {
    let reads = 0;
    const shifty = {
      description: 'y',
      execute: () => '',
      get name(): string {
        reads += 1;
        return reads > 2 ? 'other' : 'x';
      },
    };
    const [made] = await toolsOfModule({ default: shifty }, request);
    expect([made?.name, made?.name]).toEqual(['my_x', 'my_x']);
  });
});
