import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
/** A build on a busy machine, in milliseconds. */
const patience = 90_000;
let clone = '';
const at = (...names: string[]): string => path.join(clone, ...names);

/** A clone of the project: another copy of its files, the same packages. */
beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'cadre-clone-'));
  for (const name of ['src', 'web', 'bin', 'scripts', 'agent_profiles', 'prices', 'package.json'])
    cpSync(path.join(root, name), at(name), { recursive: true, filter: (file) => !file.includes('node_modules') });
  symlinkSync(path.join(root, 'node_modules'), at('node_modules'));
});

afterAll(() => rmSync(clone, { recursive: true, force: true }));

const build = (): unknown => execFileSync(process.execPath, [at('scripts', 'build-bundle.mjs')], { stdio: 'pipe' });
const cadre = (...words: string[]) =>
  spawnSync(process.execPath, [at('bin', 'cadre.mjs'), ...words], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });

describe('the bundle of a clone', () => {
  const version = (): string => cadre('--version').stdout.trim();
  const source = (): string => at('src', 'engine', 'version.ts');
  let original = '';
  beforeEach(() => {
    original ||= readFileSync(source(), 'utf8');
    writeFileSync(source(), original);
    build();
    // Tells which of both runs.
    for (const file of globSync('dist/{cli,chunks}/*.js', { cwd: clone })) {
      const text = readFileSync(at(file), 'utf8');
      if (text.includes('engineVersion = "0.1.0"')) writeFileSync(at(file), text.replace('"0.1.0"', '"7.7.7"'));
    }
  }, patience);

  it('runs while the sources are those it was made of, not with another one of the same size and time', () => {
    expect(version()).toBe('7.7.7');
    const { atime, mtime } = statSync(source());
    writeFileSync(source(), original.replace('0.1.0', '0.1.2'));
    utimesSync(source(), atime, mtime);
    expect(version()).toBe('0.1.2');
  });

  it('does not run when an older file is put in the place of a source', () => {
    writeFileSync(at('older.ts'), original.replace('0.1.0', '0.0.9'));
    utimesSync(at('older.ts'), 1, 1);
    renameSync(at('older.ts'), source());
    expect(version()).toBe('0.0.9');
  });

  it('does not run when a source is gone, or the list of sources is cut short', () => {
    const list = readFileSync(at('dist', 'sources.txt'), 'utf8');
    writeFileSync(at('dist', 'sources.txt'), list.slice(0, -10));
    expect(version()).toBe('0.1.0');
    writeFileSync(at('dist', 'sources.txt'), list);
    rmSync(source());
    expect(cadre('--version')).toMatchObject({ status: 1, stderr: expect.stringContaining('ERR_MODULE_NOT_FOUND') });
  });
});

describe('the bundle', () => {
  beforeAll(() => {
    cpSync(path.join(root, 'src'), at('src'), { recursive: true });
    build();
  }, patience);

  it('validates the bundled team, whose files lie beside it', () => {
    expect(cadre('validate').stdout).toMatch(/^ok: 5 profiles/);
  });

  it('says of wrong files what the sources say', () => {
    const wrong = {
      'profiles/a.yaml':
        'name: A\ntype: partner\ninstructionz: x\nlimits: { max_turns: many }\nflow_decider: [{ id: 1, action: {} }]\n',
      'llm_configs/b.yaml': 'name: b\nmodel: 3\nretries: { most: -1 }\n',
      'toolsets/c.yaml': 'type: toolset\nname: c\nkind: sql\nsettings: { max_rows: none }\n',
      'handover_protocols/d.yaml': 'protocol_name: d\ncontext_parameters: 4\n',
      'team.yaml': 'type: team\nname: 3\nincludes: x\n',
    };
    for (const [file, text] of Object.entries(wrong)) {
      mkdirSync(path.dirname(at('wrong', file)), { recursive: true });
      writeFileSync(at('wrong', file), text);
    }
    const both = (...words: string[]) => {
      const bundled = cadre(...words);
      renameSync(at('dist'), at('away'));
      const sources = cadre(...words);
      renameSync(at('away'), at('dist'));
      return { bundled, sources };
    };
    const { bundled, sources } = both('validate', 'wrong');
    expect(bundled.stderr + bundled.stdout).toContain('instructionz');
    expect(bundled.stderr + bundled.stdout).toMatch(/\b(?:1\d|[6-9]) errors/);
    expect(bundled).toMatchObject({ stdout: sources.stdout, stderr: sources.stderr, status: 2 });
    const explained = both('explain', 'Principal');
    expect(explained.bundled.stdout.length).toBeGreaterThan(1_000);
    expect(explained.bundled.stdout).toBe(explained.sources.stdout);
  });

  it('reads a bundled file again that was edited', () => {
    const file = 'agent_profiles/profiles/Principal.yaml';
    const text = readFileSync(at(file), 'utf8');
    writeFileSync(at(file), `${text}\ninstructionz: x\n`);
    expect(cadre('validate')).toMatchObject({ status: 2, stdout: expect.stringContaining('instructionz') });
    writeFileSync(at(file), text);
    expect(cadre('validate').status).toBe(0);
  });

  it('checks a bundled script again that was edited, and only then', () => {
    const file = 'agent_profiles/scripts/research_team.yaml';
    const text = readFileSync(at(file), 'utf8');
    writeFileSync(at(file), text.replace(/^ {4}when: .*$/m, '    when: "turn =="'));
    expect(cadre('validate')).toMatchObject({ status: 2, stdout: expect.stringContaining('[BAD_SCRIPT]') });
    writeFileSync(at(file), text);
    expect(cadre('validate').status).toBe(0);
    const parsed = globSync('dist/profiles/yaml/parsed/*.json', { cwd: clone }).map(
      (name) => JSON.parse(readFileSync(at(name), 'utf8')) as object,
    );
    // Without the mark of the build, the wrong text would be found wrong, too.
    const marked = parsed.filter((each) => 'isGoodScript' in each);
    expect(marked.length).toBe(globSync('agent_profiles/**/scripts/*.yaml', { cwd: clone }).length);
  });

  it('imports only packages that are dependencies, and has a file for each entry point', () => {
    const { dependencies, peerDependencies, exports } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as Record<
      string,
      object
    >;
    const known = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
    const named = globSync('dist/**/*.js', { cwd: clone }).flatMap((file) =>
      [...readFileSync(at(file), 'utf8').matchAll(/^(?:import|export) .*?from "([^."][^"]*)";$|import\("([^."][^"]*)"\)/gm)].map(
        ([, one, other]) => one ?? other ?? '',
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    const strange = named
      .filter((name) => !name.startsWith('node:'))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
      .filter((name) => !known.has(name));
    expect([...new Set(strange)]).toEqual([]);
    const entries = Object.values(exports as Record<string, string | { default: string }>).map((to) =>
      typeof to === 'string' ? to : to.default,
    );
    expect(entries.filter((file) => !existsSync(at(file)))).toEqual([]);
  });

  it('holds some packages, and their licences', () => {
    const text = readFileSync(at('dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const files = globSync('dist/**/*.js', { cwd: clone }).map((file) => readFileSync(at(file), 'utf8'));
    for (const name of ['@marcbachmann/cel-js', 'commander', 'nanoid', 'preact', '@preact/signals-core', 're2js', 'zod']) {
      const { version } = JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8')) as { version: string };
      const licence = readFileSync(at('node_modules', name, 'LICENSE'), 'utf8').trim();
      expect(text).toContain(`${name} ${version} (MIT)\n\n${licence}\n`);
      expect(files.filter((file) => file.includes(`from "${name}"`))).toEqual([]);
    }
  });

  it('reads packages that are large only when something needs them', () => {
    const loadedWith = (...files: { path: string; text: string }[]): string => {
      const program = `
        const { registerHooks } = await import('node:module');
        registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
        const { createEngine } = await import(${JSON.stringify(at('dist', 'index.js'))});
        const engine = await createEngine({ store: 'memory', profiles: { files: ${JSON.stringify(files)} }, models: { default: {
          specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {},
          doStream: async () => ({ stream: ReadableStream.from([
            { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: 'Yes.' }, { type: 'text-end', id: '1' },
            { type: 'finish', usage: { inputTokens: {}, outputTokens: {} }, finishReason: { unified: 'stop' } },
          ]) }),
        } } });
        const { status } = await (await engine.launch({ profile: 'One', input: 'Go.' })).result;
        console.log(status);`;
      return spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: clone, encoding: 'utf8' }).stdout;
    };
    const one = (more: string) => ({
      path: 'profiles/one.yaml',
      text: `name: One\ntype: associate\ninstructions: Answer.\n${more}`,
    });
    const usual = loadedWith(one(''));
    expect(usual).toMatch(/completed\n$/);
    expect(usual).toContain('packages/yaml.js');
    expect(usual).not.toMatch(/cel-js|re2js|openai|zod|chunks\/(?:cli|reading)-/);
    const condition = `flow_decider:\n  - { id: end, condition: '"Yes".matches("^Y")', action: { type: end_agent_turn, outcome: success } }\n`;
    const own = loadedWith(one(condition));
    expect(own).toMatch(/completed\n$/);
    expect(own).toContain('packages/marcbachmann-cel-js.js');
    expect(own).toContain('packages/re2js.js');
  });

  it('refuses to hold a package whose licence asks for more, or is not there', () => {
    const textsOf = (folder: string) =>
      spawnSync(
        process.execPath,
        [
          '-e',
          `import(${JSON.stringify(at('scripts', 'bundle-packages.mjs'))}).then((each) => each.licenceTexts([${JSON.stringify(folder)}]))`,
        ],
        { encoding: 'utf8' },
      );
    const put = (license: string): void => {
      mkdirSync(at('packed'), { recursive: true });
      writeFileSync(at('packed', 'package.json'), JSON.stringify({ name: 'packed', version: '1.0.0', license }));
    };
    put('GPL-3.0-only');
    expect(textsOf(at('packed')).stderr).toContain('packed is under GPL-3.0-only, and cannot be bundled');
    put('MIT');
    expect(textsOf(at('packed')).stderr).toContain('packed cannot be bundled: it has no file with its licence (MIT)');
    writeFileSync(at('packed', 'LICENSE.md'), 'Permission is granted.');
    expect(textsOf(at('packed'))).toMatchObject({ status: 0, stderr: '' });
  });

  it('imports no module of Node as a namespace, which would load what Node keeps lazy', () => {
    const found = globSync('dist/**/*.js', { cwd: clone }).filter((file) => / from "node:/.test(readFileSync(at(file), 'utf8')));
    expect(found).toEqual([]);
  });

  it('loads little for little: no SQLite for an import, no engine for a command that reads', () => {
    const loaded = (entry: string, ...words: string[]): string => {
      const script = `import { registerHooks } from 'node:module'; const all = [];
        registerHooks({ load: (url, context, next) => (all.push(url), next(url, context)) });
        process.on('exit', () => process.stderr.write([...all, ...process.moduleLoadList].join('\\n')));
        process.argv = ['node', 'cadre', ...${JSON.stringify(words)}]; await import(${JSON.stringify(at('dist', entry))});`;
      return spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: clone, encoding: 'utf8' }).stderr;
    };
    expect(loaded('index.js')).toMatch(/chunks\/index-/);
    expect(loaded('index.js')).not.toMatch(/NativeModule sqlite|chunks\/(?:profiles|engine|reading|cli)-/);
    expect(loaded('cli/main.js', 'runs')).toMatch(/chunks\/reading-[^]*NativeModule sqlite/);
    expect(loaded('cli/main.js', 'runs')).not.toMatch(
      /chunks\/(?:profiles|engine|running|index)-|\/node_modules\/|NativeModule (?:crypto|child_process|util\/parse_args)$/m,
    );
    expect(loaded('cli/main.js', 'validate')).toMatch(/chunks\/engine-/);
    expect(loaded('cli/main.js', 'validate')).not.toMatch(/\/ajv\/|\/yaml\/|\/ai\//);
  });

  it('starts its threads and processes', () => {
    writeFileSync(at('probe.mjs'), probe);
    const { stdout, stderr } = spawnSync(process.execPath, [at('probe.mjs')], { cwd: clone, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      expect.stringContaining('42'),
      expect.stringContaining('Drawn: chart.svg'),
      expect.stringContaining('from a module'),
    ]);
  });

  it('has the programs of its sandbox', () => {
    const page = { html: '<h1>Birds</h1><p>They fly.</p>', url: 'https://example.org/', whole: true };
    writeFileSync(at('page.json'), JSON.stringify(page));
    execFileSync(process.execPath, [at('dist', 'toolsets', 'web', 'markdown-program.js'), at('page.json'), at('answer.json')]);
    expect(JSON.parse(readFileSync(at('answer.json'), 'utf8'))).toMatchObject({
      ok: true,
      value: { markdown: expect.stringContaining('They fly.') },
    });
    expect(existsSync(at('dist', 'toolsets', 'web', 'markdown-worker.js'))).toBe(true);
    expect(existsSync(at('dist', 'toolsets', 'sandbox', 'sweep-program.js'))).toBe(true);
  });
});

const probe = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createEngine } from './dist/index.js';
import { scriptedModel } from './dist/testing/index.js';
const put = (file, text) => (mkdirSync(dirname(file), { recursive: true }), writeFileSync(file, text));
put('probe/greet.mjs', "import { defineTool } from 'cadre'; export default () => [defineTool({ name: 'greet', description: 'Greets.', effect: 'pure', parameters: { type: 'object' }, execute: () => 'from a module' })];");
put('probe/toolsets/own.yaml', 'type: toolset\\nname: own\\nkind: module\\nsettings: { path: ./greet.mjs }\\n');
put('probe/clerk.yaml', \`
name: Clerk
type: associate
llm_config_ref: default
instructions: You answer.
tool_access_policy: { allowed_toolsets: [own], allowed_individual_tools: [query_database, draw_chart] }
\`);
const calls = [
  ['query_database', { sql: 'SELECT a * 2 AS b FROM t', tables: { t: 't.csv' } }],
  ['draw_chart', { file: 'chart', spec: { mark: 'bar', data: { values: [{ a: 'x', b: 1 }] }, encoding: { x: { field: 'a' }, y: { field: 'b', type: 'quantitative' } } } }],
  ['own_greet', {}],
];
const engine = await createEngine({
  profiles: 'probe',
  models: { default: scriptedModel([...calls.map(([name, args]) => ({ toolCalls: [{ name, args }] })), 'done']) },
  store: 'memory',
});
put('work/t.csv', 'a\\n21\\n');
const run = await engine.launch({ profile: 'Clerk', input: 'go' }, { workspace: 'work' });
await run.settled();
console.log(JSON.stringify(run.turns().flatMap(({ toolInteractions }) => toolInteractions.map(({ content }) => JSON.stringify(content)))));
await engine.close();
`;
