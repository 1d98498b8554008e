/** The README of a starter folder. */
export const starterReadme = `# A starter team

Two profiles, a handful of rules in place of a model, and two documents to search. In this folder:

- run the team: \`cadre run "How do I water tomatoes?"\`
- see what it did: \`cadre turns last\`, and one turn in full: \`cadre turn last Lead_1.t1\` (or any id of the list)
- ask where a sentence came from: \`cadre why last "deep watering"\`
- talk with it: \`cadre chat\`

(\`cadre\` stands for however you started it; \`cadre init\` printed commands that work as they are.)

## What is what

| folder | what it holds |
|---|---|
| agent_profiles/profiles | the agents: Lead talks with you and plans, Researcher searches |
| agent_profiles/llm_configs | which model answers; \`default\` is used by profiles that name none |
| agent_profiles/scripts | what is said when no model is configured: rules, the first that holds answers |
| docs | the documents that are searched, unless \`--docs\` names others |
| schemas | JSON Schemas, so that your editor completes and checks the YAML files, your own names among them; after new files, write them again with \`cadre schema --out schemas\` |
| .cadre | the journal of your runs (not in version control) |

## Change something

1. In \`agent_profiles/profiles/Lead.yaml\`, change a line of the segment \`role\`.
2. \`cadre validate\` checks all files, with file, line and column for every problem.
3. \`cadre explain Lead\` shows the profile with the place of each value.
4. Run again; \`cadre turn last last\` shows the system prompt with your line, and \`cadre why last "your words"\` names it.

With \`OPENAI_API_KEY\` set, the same team runs on a real model; with \`CADRE_MODEL\` (such as \`ollama/llama3.2\`), on that one, whatever else is set.
`;
