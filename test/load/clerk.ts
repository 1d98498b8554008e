import { createEngine, type Engine, type Journal, type Run } from '../../src/index.ts';
import { loadModel } from './load-model.ts';

/** One agent with a window: it files what is sent to it with a tool, says so, and waits for more. */
const profile = `
name: Clerk
type: partner
llm_config_ref: m
instructions: You file what comes in.
tool_access_policy:
  allowed_individual_tools: [file_note]
context_policy: { window: 20 }
stagnation: off
limits: { max_turns: 1000000, max_tool_calls: 1000000, max_tokens: 1000000000, max_wall_seconds: 1000000 }
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`;

/**
 * An engine whose only profile is the clerk with its window of 20 messages. With `busy` it goes on by itself, tool call after
 * tool call, as long as that says so.
 */
export function clerkEngine(store: string | Journal, busy: () => boolean = () => false): Promise<Engine> {
  return createEngine({
    profiles: { files: [{ path: 'profiles/clerk.yaml', text: profile }] },
    models: {
      m: loadModel((prompt) =>
        busy() || prompt.at(-1)?.role === 'user' ? { tool: 'file_note', args: [{ note: 'noted' }] } : { text: 'It is filed.' },
      ),
    },
    tools: [
      {
        name: 'file_note',
        description: 'Files a note.',
        parameters: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
        effect: 'pure',
        execute: () => 'Filed under N, between notes of the same kind.',
      },
    ],
    store,
    team: false,
    limits: { maxTurns: 10_000_000, maxToolCalls: 10_000_000, maxTokens: 1_000_000_000_000, maxWallMs: 10_000_000_000 },
  });
}

/** Lets the clerk take two turns for each message until it has taken so many. */
export async function takeTurns(run: Run, turns: number): Promise<void> {
  for (let taken = 0; taken < turns; taken += 2) {
    await run.send(`Note ${taken}: the same procedure as every time, with a few words more.`);
    await run.settled();
  }
}
