import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentRoots } from '../src/core/expression/agent-roots.ts';
import { compileExpression, type Scope } from '../src/core/expression/expression.ts';
import type { JsonValue } from '../src/core/json.ts';
import { knownToolsetKinds } from '../src/engine/toolsets/known-toolset-kinds.ts';
import { createIngestorRegistry } from '../src/ingestors/registry.ts';
import { createEngine, defineTool, loadProfiles } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { Report } from '../src/profiles/report.ts';
import { compileSuite } from '../src/testing/evals/suite/read-suite.ts';
import { parseUsers } from '../src/server/access/users-file.ts';
import { runSuite } from '../src/testing/suite/run-suite.ts';
import { createDocumentTools } from '../src/toolsets/documents/create-document-tools.ts';
import { createTeamTools } from '../src/team/create-team-tools.ts';
import { createToolRegistry } from '../src/tools/registry.ts';
import { codeWords, readPages, readText, root, type Block } from './docs/read-markdown.ts';
import { typeErrors, writeBlocks } from './docs/run-typescript.ts';

const pages = readPages();
const blocks = pages.flatMap((page) => page.blocks);
const ofKind = (...kinds: readonly string[]): readonly Block[] => blocks.filter((block) => kinds.includes(block.info));
const placed = (block: Block): string => `${block.file}:${block.line}`;

const registry = createToolRegistry([...createTeamTools(), ...createDocumentTools({ root: '.', outDir: '.' }).tools]);
const exampleTools = ['look_up_weather'];
const known = {
  tools: new Set([...registry.names(), ...exampleTools]),
  toolsets: new Set(registry.toolsets()),
  ingestors: new Set(createIngestorRegistry().names()),
};

/** Variables that blocks say are required. */
const variables = { BUILD_TOKEN: 'x', GITHUB_TOKEN: 'x' };

const folderOf: Readonly<Record<string, string>> = {
  'yaml profile': 'profiles',
  'yaml llm_config': 'llm_configs',
  'yaml toolset': 'toolsets',
  'yaml protocol': 'handover_protocols',
};

/** What a page of a system is about: its own files. */
function filesOfSystem(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ path: name, text: readText(`${folder}/${name}`) }));
}

/** The other files a block needs around it, and the file it becomes itself. */
function filesFor(block: Block): { readonly path: string; readonly text: string }[] {
  const system = /^agent_profiles\/[\w-]+/.exec(block.file)?.[0];
  if (system !== undefined)
    return [...filesOfSystem(system), { path: `${folderOf[block.info] ?? '.'}/block.yaml`, text: block.text }];
  const model = {
    path: 'llm_configs/default.yaml',
    text: 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  };
  const offline = {
    path: 'llm_configs/offline.yaml',
    text: 'name: offline\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  };
  const script = { path: 'scripts/offline.yaml', text: 'rules: []\notherwise: Nothing.\n' };
  const protocol = { path: 'handover_protocols/briefing.yaml', text: 'protocol_name: principal_to_associate_briefing\n' };
  const base = { path: 'profiles/Base_Agent.yaml', text: readText('agent_profiles/profiles/Base_Agent.yaml') };
  const around = [model, offline, protocol, base];
  switch (block.info) {
    case 'yaml profile':
      return [...around, script, { path: 'profiles/block.yaml', text: block.text }];
    case 'yaml part':
      return [...around, script, { path: 'profiles/block.yaml', text: `name: Block\ntype: associate\n${block.text}` }];
    case 'yaml llm_config':
      return [...around, script, { path: 'llm_configs/block.yaml', text: block.text }];
    case 'yaml toolset':
      return [
        ...around,
        script,
        { path: 'tools/weather.ts', text: 'export {}' },
        { path: 'toolsets/block.yaml', text: block.text },
      ];
    case 'yaml team':
      return [...around, script, { path: 'profiles/manus.yaml', text: 'name: manus\n' }, { path: 'team.yaml', text: block.text }];
    case 'yaml protocol':
      return [...around, script, { path: 'handover_protocols/block.yaml', text: block.text }];
    default:
      return [...around, { path: 'scripts/offline.yaml', text: block.text }];
  }
}

/** One event, as a tree shows it. */
interface Step {
  readonly seq: number;
  readonly type: string;
  readonly cause: number | undefined;
}

/** Reads a tree of events: a line's cause is the event it is indented under, or the one it names. */
function stepsOf(tree: string): readonly Step[] {
  const steps: (Step & { readonly column: number })[] = [];
  for (const line of tree.split('\n')) {
    const match = /^([^a-z]*)([a-z]+\.[a-z]+).*?\s(\d+)(?:\s{2,}|$)/.exec(line);
    if (match === null) continue;
    const column = (match[1] ?? '').length;
    const named = /caused by (\d+)/.exec(line)?.[1];
    const above = steps.findLast((step) => step.column < column)?.seq;
    steps.push({ seq: Number(match[3]), type: match[2] ?? '', cause: named === undefined ? above : Number(named), column });
  }
  return steps.map(({ seq, type, cause }) => ({ seq, type, cause }));
}

describe('blocks', () => {
  const kinds = [
    'sh',
    'text',
    'text output',
    'text events',
    'ts run',
    'ts check',
    'cel',
    'cel fails',
    'json scope',
    'text conditions',
    'yaml commonground',
    'yaml users',
    // Compared and loaded by test/docs/migrating.test.ts, with the other files it is converted with.
    'yaml converted',
  ];
  /** Run over the bundled team. */
  const testKind = 'yaml test';
  const evalKind = 'yaml eval';
  const yamlKinds = ['yaml profile', 'yaml part', 'yaml llm_config', 'yaml protocol', 'yaml toolset', 'yaml script', 'yaml team'];

  it('every block says what it is, so that none goes unchecked', () => {
    expect(
      blocks
        .filter((block) => ![...kinds, ...yamlKinds, testKind, evalKind].includes(block.info))
        .map((block) => `${placed(block)} ${block.info}`),
    ).toEqual([]);
  });

  it.each(ofKind('yaml users').map((block) => [placed(block), block] as const))('%s is a file of users', (place, block) => {
    expect(parseUsers(place, block.text).length).toBeGreaterThan(0);
  });

  it.each(ofKind(...yamlKinds).map((block) => [placed(block), block] as const))(
    '%s loads without a problem',
    async (_place, block) => {
      const set = await loadProfiles(
        { files: filesFor(block) },
        { known: async (files) => ({ ...known, toolsetKinds: await knownToolsetKinds(files) }), env: variables },
      );
      expect(set.warnings.filter(({ source }) => source.file.includes('block'))).toEqual([]);
    },
  );

  it.each(ofKind(testKind).map((block) => [placed(block), block] as const))('%s passes as a test file', async (_place, block) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-docs-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'block.test.yaml');
    writeFileSync(file, block.text);
    const profiles = path.join(root, 'agent_profiles');
    const report = await runSuite({
      paths: [file],
      usual: profiles,
      profiles,
      snapshots: 'none',
      tools: createDocumentTools({ root: '.', outDir: '.' }).tools,
    });
    expect(report.problems).toEqual([]);
    expect(report.cases.flatMap(({ failures }) => failures)).toEqual([]);
    expect(report.cases.length).toBeGreaterThan(0);
  });

  it.each(ofKind(evalKind).map((block) => [placed(block), block] as const))('%s is an eval suite', (_place, block) => {
    const report = new Report();
    const suite = compileSuite(block.text, { file: 'block.eval.yaml', folder: root }, report);
    expect(report.diagnostics).toEqual([]);
    expect(suite?.cases.length).toBeGreaterThan(0);
  });

  it('programs and snippets have no type errors', async () => {
    const { folder } = await writeBlocks(ofKind('ts run', 'ts check'));
    expect(await typeErrors(folder)).toEqual([]);
  });

  const scope = JSON.parse(ofKind('json scope')[0]?.text ?? '{}') as Scope;
  const expressions = (kind: string): readonly string[] => ofKind(kind).flatMap((block) => block.text.trim().split('\n'));

  it.each(expressions('cel').map((line) => line.split(/\s+\/\/ → /) as [string, string]))(
    'the expression %s gives %s',
    (source, value) => {
      const compiled = compileExpression(source, agentRoots);
      expect(compiled.ok ? compiled.value.evaluate(scope) : compiled.problems).toEqual(JSON.parse(value) as JsonValue);
    },
  );

  it.each(expressions('cel fails'))('the expression %s fails when it is evaluated', (source) => {
    const compiled = compileExpression(source, agentRoots);
    if (!compiled.ok) throw new Error(compiled.problems[0]?.message ?? '');
    expect(() => compiled.value.evaluate(scope)).toThrow(expect.objectContaining({ code: 'CONDITION_FAILED' }));
  });
});

describe('places', () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-');

  it('links lead to files and headings that exist', () => {
    const wrong = pages.flatMap((page) =>
      [...page.prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap((match) => {
        const [target = '', anchor] = (match[1] ?? '').split('#');
        if (/^https?:/.test(target)) return [];
        const file = target === '' ? page.file : path.join(path.dirname(page.file), target);
        if (!existsSync(path.join(root, file))) return [`${page.file} → ${target}`];
        const headings =
          anchor === undefined ? [] : [...readText(file).matchAll(/^#+ (.*)$/gm)].map((found) => slug(found[1] ?? ''));
        return anchor === undefined || headings.includes(anchor) ? [] : [`${page.file} → ${target}#${anchor}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('files and folders named in the text exist', () => {
    const wrong = pages.flatMap((page) =>
      codeWords(page.prose)
        .filter((word) => /^(?:src|test|docs|agent_profiles|examples|bench|bin|\.ci)\/[\w./-]*$/.test(word))
        .filter((word) => !existsSync(path.join(root, word)))
        .map((word) => `${page.file} \`${word}\``),
    );
    expect(wrong).toEqual([]);
  });

  it('no page names a place on somebody’s machine', () => {
    expect(pages.filter((page) => /\/(?:home|Users|work|tmp)\//.test(readText(page.file))).map((page) => page.file)).toEqual([]);
  });

  it('no page says a thing twice: marks of a merge, or the same line of some length', () => {
    const wrong = pages.flatMap((page) => {
      const lines = page.prose.split('\n');
      const isTwice = (line: string, index: number): boolean => line.startsWith('- **') && lines.indexOf(line) !== index;
      return lines
        .filter((line, index) => /^(?:<{7}|>{7}|={7})/.test(line) || isTwice(line, index))
        .map((line) => `${page.file}: ${line}`);
    });
    expect(wrong).toEqual([]);
    expect(readText('CHANGELOG.md').match(/^- \*\*Command line\*\*/gm)).toHaveLength(1);
  });
});

describe('examples', () => {
  it('the profile that getting-started explains is the file it says', () => {
    expect(ofKind('yaml profile').find((block) => block.file === 'docs/getting-started.md')?.text).toBe(
      readText('examples/weather-clerk/Weather_Clerk.yaml'),
    );
  });

  it('the profile in the README is ten lines of that file', () => {
    const lines = readText('examples/weather-clerk/Weather_Clerk.yaml').split('\n');
    const shown =
      ofKind('yaml profile')
        .find((block) => block.file === 'README.md')
        ?.text.trimEnd()
        .split('\n') ?? [];
    expect(shown).toHaveLength(10);
    expect(shown.filter((line) => !lines.includes(line))).toEqual([]);
  });

  it('the tree of events in getting-started is what a run brings, in this order and with these causes', async () => {
    const lookUp = defineTool({
      name: 'look_up_weather',
      description: 'Returns the weather of a city.',
      effect: 'pure',
      execute: () => '21 degrees',
    });
    const model = scriptedModel([
      { text: 'I look it up.', toolCalls: [{ name: 'look_up_weather', args: {} }] },
      { text: 'It is 21 degrees.' },
    ]);
    await using engine = await createEngine({
      profiles: path.join(root, 'examples/weather-clerk'),
      models: { default: model },
      tools: [lookUp],
      store: 'memory',
    });
    const run = await engine.launch({ profile: 'Weather_Clerk', input: 'How warm is it?' });
    await run.result;
    const happened: Step[] = [];
    for await (const { seq, type, cause } of run) happened.push({ seq, type, cause });
    expect(stepsOf(ofKind('text events')[0]?.text ?? '')).toEqual(happened);
  });
});
