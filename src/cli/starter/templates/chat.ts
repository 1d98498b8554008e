import { ownFiles, starterConfigs } from '../starter-configs.ts';
import type { Template } from './template.ts';

const assistant = `# yaml-language-server: $schema=../../schemas/profile.schema.json
# Talks with you, looks into the workspace, and asks before it writes there.
name: Assistant
type: partner
description_for_human: Answers, reads files, and writes notes once you agree.

instructions: |-
  You are a helpful assistant with a folder of files.
  Keep what the user wants to remember in notes.md, one line each. Answer briefly.

tool_access_policy:
  allowed_toolsets: [workspace]

tool_gates:
  # A person decides about every change of a file; reading is free.
  - id: ask_before_writing
    tools: [write_file, edit_file, move_file, delete_file]
    verdict: ask
    message: May it change this file?

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: answered
    action: { type: await_user_input }

limits: { max_turns: 50 }
`;

const script = String.raw`# yaml-language-server: $schema=../../schemas/script.schema.json
# Replies without a model: what follows "remember" is written down.
name: offline
description: An assistant that only takes notes.

let:
  said: "{{ trim(default(last(user_texts.filter(t, !t.startsWith('<'))), '')) }}"
  wants_note: "{{ lower(vars.said).startsWith('remember') }}"
  note: "{{ trim(slice(vars.said, 8)) }}"

rules:
  - id: reports
    when: last.role == 'tool'
    reply:
      text: "{{ first(last_results).is_error ? 'I have not written it down: ' + slice(first(last_results).content, 0, 300) : 'It is in notes.md.' }}"
  - id: writes
    when: vars.wants_note && vars.note != ''
    reply:
      text: I write that down.
      tool_calls: [{ tool: write_file, args: { path: notes.md, content: "{{ vars.note }}\n" } }]

otherwise:
  text: "Without a model I only take notes: say remember, and what."
`;

const readme = `# A chat with tools and approvals

One agent that reads the files of its workspace, and asks you before it changes one (\`tool_gates\` in
\`agent_profiles/profiles/Assistant.yaml\`).

- talk with it: \`cadre chat --workspace notes\`, and say: remember the milk
- what waits for you: \`cadre pending last\`; decide with \`cadre approve\` or \`cadre reject\`
- what it saw, and why: \`cadre turns last\`, \`cadre turn last last\`

Without a model, rules in \`agent_profiles/scripts/offline.yaml\` answer; with \`OPENAI_API_KEY\` or \`CADRE_MODEL\` set, a real one does.
`;

/** One agent with files, whose changes a person approves. */
export const chat: Template = {
  name: 'chat',
  description: 'one agent that reads files freely and asks you before it changes one',
  files: [
    ...starterConfigs,
    ...ownFiles,
    { file: 'agent_profiles/profiles/Assistant.yaml', text: assistant },
    { file: 'agent_profiles/scripts/offline.yaml', text: script },
    { file: 'notes/welcome.md', text: '# Notes\n\nThe files of this folder are what the assistant sees.\n' },
    { file: 'README.md', text: readme },
  ],
  next: [
    ['run', '--workspace', 'notes', 'Remember the milk'],
    ['pending', 'last'],
    ['chat', '--workspace', 'notes'],
  ],
};
