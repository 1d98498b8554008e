import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { runSuite, type SuiteOptions, type SuiteReport } from '../../../src/testing/suite/run-suite.ts';

/** A profile with one of everything that tests look at. */
export const clerk = `
name: Clerk
type: partner
llm_config_ref: default
instructions: You file papers.
tool_access_policy: { allowed_toolsets: [planning_tools], allowed_individual_tools: [list_files, write_file] }
tool_gates:
  - { id: look, tools: [list_files], verdict: allow }
  - { id: no_writes, tools: [write_file], condition: "args.path == 'law.md'", verdict: deny, message: The law is not to be changed. }
pre_turn_observers:
  - id: hint
    condition: flags.tired
    action: { type: add_to_inbox, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content_key: rest } } }
post_turn_observers:
  - id: count
    action: { type: update_state, updates: [{ operation: increment, path: flags.turns }] }
text_definitions: { rest: Take a break. }
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: quiet, condition: counters.empty_reply_streak > 0, action: { type: end_agent_turn, outcome: error, error_message: Nothing was said. } }
  - { id: done, action: { type: await_user_input } }
`;

const config = 'name: default\ntype: llm_config\nconfig: { provider: scripted, model: m, script: scripts/s.yaml }\n';
const script = 'rules: []\notherwise: Hello.\n';

/** Writes a team with its tests into a fresh folder; returns the folder. */
export async function teamFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-ptest-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const all = { 'llm_configs/default.yaml': config, 'scripts/s.yaml': script, 'profiles/Clerk.yaml': clerk, ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

/** Runs the tests of a folder. */
export async function run(folder: string, options: Partial<SuiteOptions> = {}): Promise<SuiteReport> {
  return await runSuite({ paths: [folder], usual: folder, snapshots: 'new', ...options });
}

/** Runs cases of the clerk, given as YAML; returns the failures as `line:column message`, and the problems of the file. */
export async function outcomeOf(
  cases: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly failures: readonly string[]; readonly problems: readonly string[]; readonly report: SuiteReport }> {
  const folder = await teamFolder({ 'profiles/Clerk.test.yaml': `profile: Clerk\ncases:\n${cases}`, ...more });
  const report = await run(folder);
  return {
    failures: report.cases.flatMap(({ failures }) => failures.map(({ at, message }) => `${at.line}:${at.column} ${message}`)),
    problems: report.problems.map(({ source, message, hint = '' }) => `${source.line}:${source.column} ${message} (${hint})`),
    report,
  };
}
