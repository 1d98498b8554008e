import type { StarterFile } from './starter-file.ts';

const defaultConfig = `# yaml-language-server: $schema=../../schemas/llm_config.schema.json
# The model of profiles that name none: the one in CADRE_MODEL (provider/model, such as ollama/llama3.2; CADRE_BASE_URL for another
# server); else OpenAI's, with OPENAI_API_KEY; else the script.
name: default
type: llm_config
config:
  model: { _type: from_env, var: CADRE_MODEL, required: true }
  base_url: { _type: from_env, var: CADRE_BASE_URL, default: null }
  when_unconfigured: openai
`;

const openaiConfig = `# yaml-language-server: $schema=../../schemas/llm_config.schema.json
# Used when CADRE_MODEL is not set and OPENAI_API_KEY is.
name: openai
type: llm_config
config:
  model: openai/gpt-5-mini
  api_key: { _type: from_env, var: OPENAI_API_KEY, required: true }
  when_unconfigured: offline
`;

const offlineConfig = `# yaml-language-server: $schema=../../schemas/llm_config.schema.json
# Without a key or a network: rules in a script write the replies from tool results.
name: offline
type: llm_config
config:
  provider: scripted
  model: offline
  script: scripts/offline.yaml
`;

/** LLM configs of a new team: the user's model, else OpenAI's, else a script. */
export const starterConfigs: readonly StarterFile[] = [
  { file: 'agent_profiles/llm_configs/default.yaml', text: defaultConfig },
  { file: 'agent_profiles/llm_configs/openai.yaml', text: openaiConfig },
  { file: 'agent_profiles/llm_configs/offline.yaml', text: offlineConfig },
];

/** Files of every new project besides its team. */
export const ownFiles: readonly StarterFile[] = [{ file: '.gitignore', text: '.cadre/\n' }];
