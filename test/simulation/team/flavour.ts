import type { ProfileFile } from '../../../src/core/profile/profile.ts';
import type { LimitOptions } from '../../../src/engine/limit-options.ts';
import type { Random } from '../world/random.ts';

/** Settings of a whole cast besides its profiles: model prices, visible history, duration. */
export interface Flavour {
  /** LLM config of every profile. */
  readonly llmConfig: 'm' | 'priced';
  /** Lines for profiles that say nothing themselves of their history. */
  readonly context: string;
  /** Replies are long: history grows fast. */
  readonly isWordy: boolean;
  /** Turns one agent may take. */
  readonly turns: number;
  readonly limits: LimitOptions;
  readonly files: readonly ProfileFile[];
}

/** Instructions of a summariser, which identify its requests. */
export const summariseWords = 'SUMMARISE';

const priced: ProfileFile = {
  path: 'llm_configs/priced.yaml',
  text: 'name: priced\ntype: llm_config\nconfig: { model: m, max_output_tokens: 60, price: { input: 20, output: 100 } }\n',
};

/** Chooses what goes for a cast. */
export function chooseFlavour(random: Random): Flavour {
  const isPriced = random.chance(0.2);
  const context = chooseContext(random);
  const turns = context === '' ? 4 : 12;
  const limits = { turns: random.chance(0.1) ? 60 : context === '' ? 14 : 30 };
  const money = isPriced ? { costUsd: 0.1 + random.float() * 0.7 } : {};
  const tokens = random.chance(0.05) ? { tokens: 3_000 + random.int(20_000) } : {};
  return {
    llmConfig: isPriced ? 'priced' : 'm',
    context,
    isWordy: context.includes('compaction'),
    turns,
    limits: { ...limits, ...money, ...tokens },
    files: isPriced ? [priced] : [],
  };
}

function chooseContext(random: Random): string {
  const window = random.pick([2, 3, 5, 8, 12]);
  const at = random.pick(['at_actions: 2', 'at_task_end: true', 'at_tokens: 1500', 'at_tokens: 3000']);
  const keep = random.int(5);
  const failing = random.pick(['window', 'stop']);
  const kind = random.int(10);
  if (kind < 2) return `context_policy: { window: ${window} }`;
  if (kind === 2)
    return `context_policy: { compaction: { ${at}, keep: ${keep}, instructions: ${summariseWords}, on_failure: ${failing} } }`;
  return '';
}
