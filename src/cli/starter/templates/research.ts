import type { Template } from './template.ts';
import { ownFiles, starterConfigs } from '../starter-configs.ts';
import type { StarterFile } from '../starter-file.ts';
import { starterProfiles } from '../starter-profiles.ts';
import { starterScript } from '../starter-script.ts';

/** Two small documents to search. */
const starterDocuments: readonly StarterFile[] = [
  {
    file: 'docs/watering.md',
    text: `# Watering

## Tomatoes

Water tomatoes deeply two or three times a week, early in the morning, and at the root.
One deep watering is better than a little every day: roots follow the water down.

Wet leaves invite blight, so keep the leaves dry. Tomatoes in pots need water every day in summer.

## Signs of too much water

Yellow lower leaves and soil that is still wet in the evening mean too much water. Wait until the top
three centimetres are dry before the next watering.
`,
  },
  {
    file: 'docs/soil.md',
    text: `# Soil

## What vegetables need

Most vegetables like loose soil with a lot of compost and a pH between 6 and 7.
Mix a bucket of compost into each square metre in spring.

## Mulch

A layer of straw keeps the water in the soil: mulched tomatoes need about a third less water.
Keep the mulch a hand's width away from the stems.
`,
  },
];

/** The README of a starter folder. */
const starterReadme = `# A starter team

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
| schemas | JSON Schemas with which your editor completes and checks the YAML files, including your own names; \`cadre dev\` keeps them fresh, and so does \`cadre schema --project\` |
| .cadre | the journal of your runs (not in version control) |

## Change something

1. In \`agent_profiles/profiles/Lead.yaml\`, change a line of the segment \`role\`.
2. \`cadre validate\` checks all files, with file, line and column for every problem.
3. \`cadre explain Lead\` shows the profile with the place of each value.
4. Run again; \`cadre turn last last\` shows the system prompt with your line, and \`cadre why last "your words"\` names its file and line.

With \`OPENAI_API_KEY\` set, the same team runs on a real model; with \`CADRE_MODEL\` (such as \`ollama/llama3.2\`), on that one, whatever else is set.
`;

/** Files of the template `research` except the schemas. Texts live in modules, so that every build of the package contains them. */
export const starterFiles: readonly StarterFile[] = [
  ...starterProfiles,
  ...starterConfigs,
  { file: 'agent_profiles/scripts/offline.yaml', text: starterScript },
  ...starterDocuments,
  { file: 'README.md', text: starterReadme },
  ...ownFiles,
];

/** Two agents that answer questions from documents. */
export const research: Template = {
  name: 'research',
  description: 'answers questions from a folder of documents, with file and line; a lead and parallel researchers',
  files: starterFiles,
  next: [
    ['run', 'How do I water tomatoes?'],
    ['turns', 'last'],
    ['why', 'last', 'deep watering'],
  ],
};
