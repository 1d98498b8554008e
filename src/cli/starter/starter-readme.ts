/** The README of a starter folder. */
export const starterReadme = `# A starter team

Two profiles, a handful of rules in place of a model, and two documents to search. In this folder:

- run the team: \`cadre run "How do I water tomatoes?"\`
- see what it did: \`cadre turns last\`, and one turn in full: \`cadre turn last Lead_1.t1\` (or any id of the list)
- ask where a sentence came from: \`cadre why last "deep watering"\`
- talk with it: \`cadre chat\`

(\`cadre\` is the command you started it with; \`cadre init\` printed commands that work as they are.)

## Folders

| folder | content |
|---|---|
| agent_profiles/profiles | the agents: Lead talks with you and plans, Researcher searches |
| agent_profiles/llm_configs | the models; profiles that name none use \`default\` |
| agent_profiles/scripts | replies without a configured model: the first rule whose condition holds answers |
| docs | the documents to search, unless \`--docs\` names others |
| schemas | JSON Schemas with which your editor completes and checks the YAML files, including your own names; after adding files, run \`cadre schema --out schemas\` |
| .cadre | the journal of your runs (not in version control) |

## Change something

1. In \`agent_profiles/profiles/Lead.yaml\`, change a line of the segment \`role\`.
2. \`cadre validate\` checks all files, with file, line and column for every problem.
3. \`cadre explain Lead\` shows the profile with the place of each value.
4. Run again; \`cadre turn last last\` shows the system prompt with your line, and \`cadre why last "your words"\` names its file and line.

With \`OPENAI_API_KEY\` set, the same team runs on a real model; with \`CADRE_MODEL\` (such as \`ollama/llama3.2\`), on that one, whatever else is set.
`;
