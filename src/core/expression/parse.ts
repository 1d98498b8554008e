import { createRequire } from 'node:module';
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { builtTrees } from './built-trees.ts';
import { findHabits } from './habits.ts';
import { findTooDeep, findTooLong, MAX_NESTING, MAX_NODES } from './limits.ts';
import { toFailure, type CompileResult, type ExpressionProblem } from './problem.ts';
import { scan } from './scan.ts';

/** A node of the CEL syntax tree. */
export type SyntaxNode = ASTNode;

const tokenNames: Readonly<Record<string, string>> = {
  EOF: 'the end',
  NUMBER: 'a number',
  STRING: 'a text',
  BYTES: 'bytes',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '`+`',
  MINUS: '`-`',
  MULTIPLY: '`*`',
  DIVIDE: '`/`',
  MODULO: '`%`',
  EQ: '`==`',
  NE: '`!=`',
  LT: '`<`',
  LE: '`<=`',
  GT: '`>`',
  GE: '`>=`',
  AND: '`&&`',
  OR: '`||`',
  NOT: '`!`',
  IN: '`in`',
  LPAREN: '`(`',
  RPAREN: '`)`',
  LBRACKET: '`[`',
  RBRACKET: '`]`',
  LBRACE: '`{`',
  RBRACE: '`}`',
  DOT: '`.`',
  COMMA: '`,`',
  COLON: '`:`',
  QUESTION: '`?`',
};

type Library = typeof import('@marcbachmann/cel-js');

const load = createRequire(import.meta.url);
// Pure cache: the library and a parser, read with the first expression.
let parser: { readonly library: Library; readonly environment: Environment } | undefined;

function readParser(): NonNullable<typeof parser> {
  if (parser !== undefined) return parser;
  const library = load('@marcbachmann/cel-js') as Library;
  // Only its parser is used, which knows no roots and functions, so one environment suffices.
  const environment = new library.Environment({
    unlistedVariablesAreDyn: true,
    // Calls and operators take a level each in the parser, so its limit is above ours, which is checked first.
    limits: { maxAstNodes: MAX_NODES, maxDepth: MAX_NESTING * 3, maxListElements: 256, maxMapEntries: 256, maxCallArguments: 8 },
  });
  return (parser = { library, environment });
}

/** Parses a source into a syntax tree after checking the limits; a failure carries hints for spellings of other languages. */
export function parseSource(source: string): CompileResult<SyntaxNode> {
  const built = builtTrees.get(source);
  if (built !== undefined) return { ok: true, value: built };
  const tooLong = findTooLong(source);
  if (tooLong !== undefined) return toFailure([tooLong]);
  const tokens = scan(source);
  if (tokens.length === 0) return toFailure([{ message: 'the expression is empty', start: 0, end: source.length }]);
  const tooDeep = findTooDeep(tokens);
  if (tooDeep !== undefined) return toFailure([tooDeep]);
  try {
    return { ok: true, value: readParser().environment.parse(source).ast };
  } catch (error) {
    const habits = findHabits(tokens);
    return toFailure(habits.length > 0 ? habits : [toProblem(error, source)]);
  }
}

function toProblem(error: unknown, source: string): ExpressionProblem {
  if (!(error instanceof readParser().library.ParseError)) {
    return { message: 'the expression cannot be parsed', start: 0, end: source.length };
  }
  const range = error.range ?? { start: 0, end: source.length };
  const start = Math.min(range.start, source.length);
  const end = Math.min(Math.max(range.end, start), source.length);
  const message =
    error.code === 'limit_exceeded'
      ? `the expression is too large: ${error.summary.replace('Exceeded ', '')}`
      : readable(error.summary);
  return { message, start, end };
}

function readable(summary: string): string {
  const text = summary.replace(/\b[A-Z]{2,}\b/g, (name) => tokenNames[name] ?? name);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
