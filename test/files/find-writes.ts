import { parseAst } from 'rolldown/parseAst';

/** Everything of `node:fs` and `node:sqlite` that only reads, or works on what is already open; whatever else is used counts as a write. */
const harmless = new Set(
  [
    'access accessSync constants Dir Dirent exists existsSync fdatasync fdatasyncSync fstat fstatSync fsync fsyncSync FSWatcher',
    'glob globSync lstat lstatSync opendir opendirSync openAsBlob read readdir readdirSync readFile readFileSync readlink readlinkSync',
    'readSync readv readvSync realpath realpathSync stat Stats statfs statfsSync statSync close closeSync watch watchFile unwatchFile',
    'createReadStream ReadStream FileHandle StatementSync write writeSync writev writevSync',
  ].flatMap((line) => line.split(' ')),
);

/** What may read or write, by its arguments. */
const open = new Set(['open', 'openSync']);
/** Methods of open files, of browsers and of downloads that change the disk. */
const methods = new Set(['truncate', 'chmod', 'chown', 'utimes', 'saveAs', 'createWriteStream']);
/** Methods of a browser that write a file when they are told its path. */
const pictures = new Set(['screenshot', 'pdf', 'storageState', 'stop']);
const modules = /^(?:node:)?(?:fs|fs\/promises|sqlite)$/;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Returns what changes the disk, or could do so unseen, in a text of TypeScript: names of functions, or forms that hide them. */
export function writesIn(text: string): readonly string[] {
  const finder = new Finder();
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  // Names first: functions are used above the imports that lie below them.
  finder.walk(program, [], (node, above) => finder.learn(node, above));
  finder.walk(program, [], (node, above) => finder.check(node, above));
  return finder.found;
}

class Finder {
  readonly found: string[] = [];
  /** Names of whole modules, and of what may read or write, in this text. */
  readonly #modules = new Set<string>();
  readonly #names = new Map<string, string>();

  walk(value: unknown, above: readonly Node[], visit: (node: Node, above: readonly Node[]) => void): void {
    if (Array.isArray(value)) for (const each of value) this.walk(each, above, visit);
    if (!isNode(value)) return;
    visit(value, above);
    for (const inner of Object.values(value)) if (typeof inner === 'object') this.walk(inner, [...above, value], visit);
  }

  /** Notes what a text imports. */
  learn(node: Node, above: readonly Node[]): void {
    const [first] = listOf(node['arguments'] ?? node['source']);
    const isOfModule = modules.test(textOf(first) ?? '');
    if (node.type === 'ImportDeclaration' && isOfModule && node['importKind'] !== 'type')
      for (const specifier of listOf(node['specifiers'])) this.#import(specifier);
    if (node.type.startsWith('Export') && isOfModule && node['exportKind'] !== 'type') this.found.push('export');
    if (node.type === 'CallExpression' && isOfModule) this.found.push('require(…)');
    if (node.type !== 'ImportExpression' || !isOfModule) return;
    const [declared, awaited] = [above.at(-2), above.at(-1)];
    const pattern = declared?.['id'];
    const isTakenApart = awaited?.type === 'AwaitExpression' && declared?.type === 'VariableDeclarator';
    if (!isTakenApart || !isNode(pattern) || pattern.type !== 'ObjectPattern') this.found.push('import(…)');
    else for (const property of listOf(pattern['properties'])) this.#take(nameOf(property['key']), nameOf(property['value']));
  }

  #import(specifier: Node): void {
    if (specifier['importKind'] === 'type') return;
    const local = nameOf(specifier['local']);
    if (specifier.type === 'ImportSpecifier') this.#take(nameOf(specifier['imported']), local);
    else if (local !== undefined) this.#modules.add(local);
  }

  #take(name: string | undefined, local: string | undefined): void {
    if (name !== undefined && local !== undefined && (open.has(name) || name === 'DatabaseSync')) this.#names.set(local, name);
    else if (name === undefined || !harmless.has(name)) this.found.push(name ?? '…');
  }

  /** Checks each use of what was imported, and methods that change the disk. */
  check(node: Node, above: readonly Node[]): void {
    const parent = above.at(-1);
    if (node.type === 'MemberExpression') this.#member(node, parent);
    if (node.type === 'Identifier' && parent !== undefined && !isOnlyName(node, above)) this.#use(node, parent);
    if (node.type === 'CallExpression' && pictures.has(nameOf(property(node['callee'])) ?? ''))
      for (const argument of listOf(node['arguments']))
        if (listOf(argument['properties']).some((each) => nameOf(each['key']) === 'path')) this.found.push('path:');
  }

  #member(node: Node, parent: Node | undefined): void {
    const name = node['computed'] === true ? textOf(node['property']) : nameOf(node['property']);
    const isOfModule = this.#modules.has(nameOf(node['object']) ?? '');
    const isCalled = parent?.type === 'CallExpression' && parent['callee'] === node;
    if (!isOfModule && isCalled && methods.has(name ?? '')) this.found.push(name ?? '');
    if (!isOfModule || harmless.has(name ?? '')) return;
    if (isCalled && open.has(name ?? '') && isReading(listOf(parent['arguments'])[1])) return;
    this.found.push(name ?? `${nameOf(node['object'])}[…]`);
  }

  #use(node: Node, parent: Node): void {
    const local = nameOf(node) ?? '';
    if (this.#modules.has(local) && !(parent.type === 'MemberExpression' && parent['object'] === node)) this.found.push(local);
    const name = this.#names.get(local);
    if (name === undefined) return;
    const args = parent['callee'] === node ? listOf(parent['arguments']) : undefined;
    if (name === 'DatabaseSync' && parent.type === 'NewExpression' && textOf(args?.[0]) === ':memory:') return;
    if (name !== 'DatabaseSync' && parent.type === 'CallExpression' && args !== undefined && isReading(args[1])) return;
    this.found.push(name);
  }
}

/** True for the flags of a file that is opened for reading alone. */
function isReading(flags: Node | undefined): boolean {
  if (flags === undefined || ['r', 'rs'].includes(textOf(flags) ?? '') || flags['value'] === 0) return true;
  if (flags.type === 'ParenthesizedExpression') return isReading(nodeOf(flags['expression']));
  if (flags.type === 'BinaryExpression' || flags.type === 'LogicalExpression')
    return [flags['left'], flags['right']].every((side) => isReading(nodeOf(side) ?? flags));
  return /^O_(?:RDONLY|DIRECTORY|NOFOLLOW|NONBLOCK)$/.test(nameOf(flags) ?? nameOf(property(flags)) ?? '');
}

/** True for a name that uses nothing: of a property, of a type, of an import. */
function isOnlyName(node: Node, above: readonly Node[]): boolean {
  const parent = above.at(-1);
  if (above.some(({ type }) => /^(?:TS(?:Type|Interface)|Import)/.test(type))) return true;
  if (above.some(({ type }, at) => type === 'ObjectPattern' && above[at + 1]?.type === 'Property')) return true;
  const isKey = parent?.['key'] === node && parent['shorthand'] !== true;
  return isKey || (parent?.type === 'MemberExpression' && parent['property'] === node && parent['computed'] !== true);
}

function property(node: unknown): unknown {
  return isNode(node) ? node['property'] : undefined;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function nodeOf(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}

function listOf(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
