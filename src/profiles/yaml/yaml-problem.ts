import type { YAMLError } from 'yaml';
import type { DiagnosticCode } from '../diagnostic-code.ts';

/** YAML error in Cadre's words. */
export interface YamlProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
}

const quoteWhole = "quote the whole text: '…' (write '' for a quote inside)";

/** Explains a YAML error, and recognises the usual traps of conditions and templates. */
export function toYamlProblem(error: YAMLError, source: string): YamlProblem {
  const offset = Math.min(error.pos[0], source.length);
  const lineStart = source.lastIndexOf('\n', offset - 1) + 1;
  const line = source.slice(lineStart, lineStart + 500).split('\n', 1)[0] ?? '';
  const rest = source.slice(offset, offset + 200).split('\n', 1)[0] ?? '';
  const code: string = error.code;
  switch (code) {
    case 'TAB_AS_INDENT':
      return { code: 'YAML_TAB', message: 'a tab cannot indent YAML', offset, hint: 'indent with spaces' };
    case 'MULTIPLE_DOCS':
      return {
        code: 'YAML_MULTIPLE_DOCUMENTS',
        message: 'a file contains one document, and a second one begins here',
        offset,
        hint: 'put it into its own file',
      };
    case 'TAG_RESOLVE_FAILED':
      return tagProblem(rest, offset);
    case 'BAD_ALIAS':
    case 'ALIAS_PROPS':
    case 'MULTIPLE_ANCHORS':
      return {
        code: 'YAML_ALIAS',
        message: `anchor or alias that cannot be read: ${firstLine(error)}`,
        offset,
        hint: `a text that starts with & or * must be quoted`,
      };
    case 'MULTILINE_IMPLICIT_KEY':
      return {
        code: 'YAML_SYNTAX',
        message: 'the value here is complete, and the next line is indented deeper, as if it belonged to it',
        offset,
        hint: 'keys of one map start at the same column',
      };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return implicitKeyProblem(line, offset);
    case 'BAD_SCALAR_START':
      return {
        code: 'YAML_SYNTAX',
        message: `a text cannot start with ${rest.slice(0, 1)} unless it is quoted`,
        offset,
        hint: quoteWhole,
      };
    case 'BAD_DQ_ESCAPE':
      return {
        code: 'YAML_SYNTAX',
        message: `${rest.slice(0, 2)} is not an escape in double quotes`,
        offset,
        hint: 'write \\\\ for a backslash, or use single quotes',
      };
    case 'UNEXPECTED_TOKEN':
      return unexpectedProblem(error, line, offset);
    default:
      return { code: 'YAML_SYNTAX', message: lowerFirst(firstLine(error)), offset };
  }
}

function tagProblem(rest: string, offset: number): YamlProblem {
  const tag = /^!\S*/.exec(rest)?.[0] ?? '!';
  return {
    code: 'YAML_TAG',
    message: `\`${tag}\` is a YAML tag here, and tags are not supported`,
    offset,
    hint: `a condition that starts with ! must be quoted: '${rest.trim().slice(0, 60)}'`,
  };
}

function implicitKeyProblem(line: string, offset: number): YamlProblem {
  const isConditional = / \? .* : /.test(line);
  return {
    code: 'YAML_SYNTAX',
    message: isConditional
      ? '`a ? b : c` is a YAML map unless it is quoted'
      : 'a text with `: ` inside is a YAML map unless it is quoted',
    offset,
    hint: quoteWhole,
  };
}

function unexpectedProblem(error: YAMLError, line: string, offset: number): YamlProblem {
  const value = /^\s*(?:- )*[\w-]+:\s+(.*)$/.exec(line)?.[1] ?? line.trim();
  if (value.startsWith('{{')) {
    return {
      code: 'YAML_SYNTAX',
      message: 'an unquoted `{{ … }}` is a YAML map',
      offset,
      hint: `quote the whole text: '${value.slice(0, 60)}'`,
    };
  }
  if (/^['"[{]/.test(value)) {
    return {
      code: 'YAML_SYNTAX',
      message: `the value ends before this: a text that starts with ${value.slice(0, 1)} is read up to its closing counterpart`,
      offset,
      hint: `${quoteWhole}, or write it below \`|-\``,
    };
  }
  return { code: 'YAML_SYNTAX', message: lowerFirst(firstLine(error)), offset };
}

function firstLine(error: YAMLError): string {
  return (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
