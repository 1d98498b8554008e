import { ownFiles, starterConfigs } from '../starter-configs.ts';
import type { Template } from './template.ts';

const agent = `# yaml-language-server: $schema=../../schemas/profile.schema.json
name: Agent
type: partner
description_for_human: Answers.

instructions: You are helpful, and brief.

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: answered
    action: { type: await_user_input }
`;

const script = `# yaml-language-server: $schema=../../schemas/script.schema.json
# Replies without a model.
name: offline
description: Says what it was told.

rules: []
otherwise:
  text: "You said: {{ trim(default(last(user_texts), '')) }}. Set OPENAI_API_KEY or CADRE_MODEL for a model's answer."
`;

/** The least that runs. */
export const empty: Template = {
  name: 'empty',
  description: 'one agent without tools, the least that runs',
  files: [
    ...starterConfigs,
    ...ownFiles,
    { file: 'agent_profiles/profiles/Agent.yaml', text: agent },
    { file: 'agent_profiles/scripts/offline.yaml', text: script },
  ],
  next: [
    ['run', 'Hello'],
    ['turn', 'last', 'last'],
  ],
};
