import type { StarterFile } from './starter-file.ts';

const lead = `# yaml-language-server: $schema=../../schemas/profile.schema.json
# Talks with you: plans, dispatches researchers, and answers from their findings.
name: Lead
type: partner
description_for_human: Talks with the user, plans work modules, dispatches researchers and answers.

tool_access_policy:
  allowed_toolsets: [planning_tools, dispatch_tools]

system_prompt_construction:
  system_prompt_segments:
    - id: role
      type: static_text
      order: 10
      content: |-
        # You lead a small research team
        1. Split the question into work modules that can be worked on independently (manage_work_modules).
        2. Dispatch all of them in one call (dispatch_submodules) to the associate profile Researcher.
        3. Complete the modules whose deliverables are good; send the others back with notes.
        4. Answer the user in Markdown. Quote the findings, each with its file:line. Say plainly when nothing was found.
    - id: tools
      type: tool_description
      order: 90

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: answered
    action: { type: await_user_input }

inbox_handling_strategies:
  # Results of researchers as JSON, which the script reads.
  - source: TOOL_RESULT
    ingestor: tool_result
    params: { as_returned: true }

limits: { max_turns: 20 }
`;

const researcher = `# yaml-language-server: $schema=../../schemas/profile.schema.json
# Works on one work module: searches the documents and returns its findings.
name: Researcher
type: associate
available_for_staffing: true
description_for_human: Searches the documents and brings back passages with file and line.

tool_access_policy:
  allowed_toolsets: [documents, flow_control_end]

system_prompt_construction:
  system_prompt_segments:
    - id: role
      type: static_text
      order: 10
      content: |-
        # You research one work module
        Search with the words after "Search for:" in your instructions. Then hand in with finish_flow: deliverables.findings
        is a list of passages, each with file, line and text. An empty list is a result, too.
    - id: tools
      type: tool_description
      order: 90

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: stuck
    condition: counters.no_tool_call_streak > 2
    action: { type: end_agent_turn, outcome: error, error_message: Three replies without a tool call. }
  - id: remind
    action:
      type: loop_with_inbox_item
      payload: Call a tool, or hand in what you have with finish_flow.

limits: { max_turns: 10 }

deliverables_schema:
  type: object
  required: [findings]
  properties:
    findings: { type: array }
`;

/** Profiles of the starter team. */
export const starterProfiles: readonly StarterFile[] = [
  { file: 'agent_profiles/profiles/Lead.yaml', text: lead },
  { file: 'agent_profiles/profiles/Researcher.yaml', text: researcher },
];
