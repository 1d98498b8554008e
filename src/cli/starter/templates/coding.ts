import { ownFiles, starterConfigs } from '../starter-configs.ts';
import type { Template } from './template.ts';

const coder = `# yaml-language-server: $schema=../../schemas/profile.schema.json
# Works on code: reads and edits files, and runs commands in a sandbox.
name: Coder
type: partner
description_for_human: Changes code until its test passes.

instructions: |-
  You change code in the workspace. Run the tests before and after each change, and change as little as possible.
  Say at the end what was wrong and what you changed.

tool_access_policy:
  allowed_toolsets: [workspace, shell]

tool_gates:
  # The test may run at any time; a person decides about every other command.
  - id: tests
    tools: [run_command]
    condition: "args.command == 'sh test.sh'"
    verdict: allow
  - id: other_commands
    tools: [run_command]
    verdict: ask
    message: May it run this command?

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: answered
    action: { type: await_user_input }

limits: { max_turns: 50 }
`;

const script = String.raw`# yaml-language-server: $schema=../../schemas/script.schema.json
# Replies without a model: the test, the mistake it shows, and the test again.
name: offline
description: A programmer that knows one mistake.

let:
  failed: "{{ last_results.filter(r, r.is_error) }}"
  runs: "{{ tool_results.filter(r, r.tool == 'run_command') }}"

rules:
  - id: cannot_go_on
    when: size(vars.failed) > 0
    reply:
      fail: "{{ first(vars.failed).tool }} failed: {{ slice(first(vars.failed).content, 0, 2000) }}"
  - id: tests_first
    when: size(vars.runs) == 0
    reply:
      text: First the test.
      tool_calls: [{ tool: run_command, args: { command: sh test.sh } }]
  - id: reads
    when: size(vars.runs) == 1 && !('read_file' in call_names)
    reply:
      tool_calls: [{ tool: read_file, args: { path: sum.sh } }]
  - id: mends
    when: size(vars.runs) == 1 && !('edit_file' in call_names)
    reply:
      text: It subtracts.
      tool_calls: [{ tool: edit_file, args: { command: str_replace, path: sum.sh, old_str: "$1 - $2", new_str: "$1 + $2" } }]
  - id: tests_again
    when: size(vars.runs) == 1
    reply:
      tool_calls: [{ tool: run_command, args: { command: sh test.sh } }]
  - id: says_so
    reply:
      text: "sum subtracted where it should add; sum.sh adds now. The test says: {{ trim(last(lines(trim(last(vars.runs).content)))) }}"
`;

const readme = `# Coding in a sandbox

One agent that edits the files of \`project\` and runs commands there, in a sandbox. Its test may run without a question; you decide about
any other command (\`tool_gates\` in \`agent_profiles/profiles/Coder.yaml\`).

- let it mend the test: \`cadre run --workspace project "Make the test pass"\`
- what it ran: \`cadre turns last\`, \`cadre show last\`
- is a sandbox there? \`cadre doctor\` says what to install
- you change these profiles, and do not want to be asked each time? \`export CADRE_TRUST=$PWD\`

Without a model, rules in \`agent_profiles/scripts/offline.yaml\` answer; with \`OPENAI_API_KEY\` or \`CADRE_MODEL\` set, a real one does.
`;

/** One agent that changes code and runs its test in a sandbox. */
export const coding: Template = {
  name: 'coding',
  description: 'one agent that edits code and runs its test in a sandbox; other commands wait for you',
  files: [
    ...starterConfigs,
    ...ownFiles,
    { file: 'agent_profiles/profiles/Coder.yaml', text: coder },
    { file: 'agent_profiles/scripts/offline.yaml', text: script },
    { file: 'project/sum.sh', text: 'sum() {\n  echo $(($1 - $2))\n}\n' },
    {
      file: 'project/test.sh',
      text: '. ./sum.sh\nif [ "$(sum 2 3)" = 5 ]; then echo passed; else echo "2 + 3 is 5, not $(sum 2 3)"; exit 1; fi\n',
    },
    { file: 'README.md', text: readme },
  ],
  next: [['run', '--trust', '--workspace', 'project', 'Make the test pass'], ['turns', 'last'], ['doctor']],
};
