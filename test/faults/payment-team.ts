import { appendFileSync } from 'node:fs';
import { createEngine, type Engine, type LanguageModel } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { tool } from '../support/tools.ts';

/** What an engine that pays is made of. */
export interface PaymentTeamOptions {
  readonly store: string;
  /** A file that gets one line per payment that was really made. */
  readonly ledger: string;
  readonly replies: readonly ScriptedReply[];
  readonly model?: LanguageModel;
  /** Called when the money has left the house and the tool has not said so yet. */
  readonly onPaid?: () => Promise<void>;
}

/** Opens an engine whose only tool pays, over a journal in a file: all of it with its defaults. */
export async function openPaymentTeam(options: PaymentTeamOptions): Promise<Engine> {
  const { store, ledger, replies, model = scriptedModel(replies), onPaid } = options;
  const pay = tool('pay', async (args, { toolCallId }) => {
    appendFileSync(ledger, `${toolCallId} ${JSON.stringify(args)}\n`);
    await onPaid?.();
    return 'paid';
  });
  return await createEngine({
    profiles: {
      files: [
        {
          path: 'profiles/Payer.yaml',
          text: `
name: Payer
llm_config_ref: m
instructions: You pay bills.
tool_access_policy: { allowed_individual_tools: [pay] }
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`,
        },
      ],
    },
    models: { m: model },
    tools: [pay],
    team: false,
    store,
  });
}
