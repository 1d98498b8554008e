import type { CST, Document, YAMLError } from 'yaml';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import type { Report } from '../report.ts';
import { convertDocument } from './convert-document.ts';
import { parsedBefore } from './parsed-texts.ts';
import type { SourceNode } from './source-node.ts';
import type { SourceText } from './source-text.ts';
import { yamlLibrary } from './yaml-library.ts';
import { toYamlProblem } from './yaml-problem.ts';

/** Maximum nesting depth of one file. Each level is at most two entries on the parser's stack. */
const maxDepth = 64;
/** Maximum number of lexical tokens in one file: parsing costs about 3 µs each. */
const maxTokens = 25_000;
/** Maximum number of anchors and aliases in one file. */
const maxAnchors = 50;
/** Maximum number of syntax problems reported for one file; the first ones matter. */
const maxProblems = 20;

/**
 * Parses one YAML file into nodes with places, or reports why it cannot be read. Takes bounded time on any input: the caller caps
 * the size, depth, tokens and aliases are counted while the tokens are read, and duplicate keys are found without the parser's
 * quadratic check.
 */
export function parseYaml(file: SourceText, report: Report): SourceNode | undefined {
  const before = parsedBefore(file);
  if (before !== undefined) return before;
  const fail = (code: DiagnosticCode, offset: number, message: string, hint?: string): undefined => {
    report.error(code, { at: { file, start: offset, end: offset }, message, hint });
    return undefined;
  };
  const nul = file.text.indexOf('\0');
  if (nul >= 0) return fail('FILE_HAS_NUL', nul, 'the file has a NUL character here; this is not a text file');
  const read = readTokens(file.text);
  if (read.problem !== undefined) return fail(read.problem.code, read.problem.offset, read.problem.message, read.problem.hint);
  const document = compose(read.tokens, file.text);
  if (document === 'second') {
    const offset = /^---(?=\s|$)/m.exec(file.text.replace(/^(?:\s|#.*\n)*---/, (head) => ' '.repeat(head.length)))?.index ?? 0;
    return fail(
      'YAML_MULTIPLE_DOCUMENTS',
      offset,
      'a file contains one document, and a second one begins here',
      'put it into its own file',
    );
  }
  const { version } = document.directives.yaml;
  if (version !== '1.2')
    return fail(
      'YAML_DIRECTIVE',
      Math.max(0, file.text.indexOf('%YAML')),
      `YAML ${version} reads some words as other values; profiles are YAML 1.2`,
      'remove the directive',
    );
  const problems = firstCauses([...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]));
  for (const error of problems.slice(0, maxProblems)) {
    const { code, offset, message, hint } = toYamlProblem(error, file.text);
    fail(code, offset, message, hint);
  }
  if (problems.length > 0) return undefined;
  if (document.contents === null) return fail('FILE_EMPTY', 0, 'the file is empty', 'a profile needs at least `name:`');
  return convertDocument(document.contents, file, report);
}

/** Parser errors about indentation. */
const indents: ReadonlySet<string> = new Set([
  'TAB_AS_INDENT',
  'BAD_INDENT',
  'MISSING_CHAR',
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
]);

/**
 * Drops errors that follow from another one: after a tab or a wrong indent, the parser is lost and complains about correct lines.
 */
function firstCauses(problems: readonly YAMLError[]): readonly YAMLError[] {
  const tab = problems.find(({ code }) => code === 'TAB_AS_INDENT');
  const first = tab ?? problems.find(({ code }) => indents.has(code));
  if (first === undefined) return problems;
  // A key that seems to span lines is a line with too much indentation; the parser reports that second.
  const better = problems.find(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === first.pos[0]);
  const cause = tab ?? better ?? first;
  return problems.filter(
    (problem) =>
      problem === cause || (!indents.has(problem.code) && (problem.code !== 'UNEXPECTED_TOKEN' || problem.pos[0] < cause.pos[0])),
  );
}

interface TokenRead {
  readonly tokens: readonly CST.Token[];
  readonly problem?: { readonly code: DiagnosticCode; readonly offset: number; readonly message: string; readonly hint?: string };
}

function readTokens(text: string): TokenRead {
  const { Lexer, Parser } = yamlLibrary();
  const lexer = new Lexer();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let anchors = 0;
  for (const lexeme of lexer.lex(text)) {
    count += 1;
    const { offset } = parser;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (lexeme.startsWith('&') || lexeme.startsWith('*')) anchors += 1;
    if (parser.stack.length > maxDepth) {
      return { tokens, problem: { code: 'YAML_DEPTH', offset, message: `nested deeper than ${maxDepth} levels` } };
    }
    if (count > maxTokens) {
      const message = `more values than a profile may have (${maxTokens} tokens up to here)`;
      return {
        tokens,
        problem: { code: 'YAML_TOO_MANY_VALUES', offset, message, hint: 'split the file, and share parts with base_profile' },
      };
    }
    if (anchors > 2 * maxAnchors) {
      return {
        tokens,
        problem: {
          code: 'YAML_ALIAS',
          offset,
          message: `more than ${maxAnchors} anchors or aliases`,
          hint: 'share parts with base_profile',
        },
      };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function compose(tokens: readonly CST.Token[], text: string): Document.Parsed | 'second' {
  const composer = new (yamlLibrary().Composer)({ uniqueKeys: false, version: '1.2', logLevel: 'silent', prettyErrors: false });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens, true, text.length)) {
    if (first !== undefined) return 'second';
    first = document;
  }
  if (first === undefined) throw new Error('the YAML composer returned no document');
  return first;
}
