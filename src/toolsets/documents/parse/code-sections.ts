import { endingOf } from './document-endings.ts';

/** A section that begins at a line: its text as a heading (empty: no section any more) and its level from 1. */
export interface CodeSection {
  readonly level: number;
  readonly text: string;
}

/** Finds the section that begins at a line of a file; undefined when the line begins none. */
export type SectionFinder = (line: string) => CodeSection | undefined;

const maxParsedChars = 300;
const modifiers =
  '(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|constexpr|const|unsafe|extern|pub(?:\\([\\w:]{1,20}\\))?|sealed|open|partial|readonly|declare|suspend|local) +)*';

/** Declarations as the common languages write them; one wrongly taken for a declaration only becomes a heading. */
const declarations: readonly RegExp[] = [
  new RegExp(
    `^\\s*${modifiers}(?:function\\*?|class|interface|enum|struct|trait|impl|fn|func|def|defp|defmodule|module|namespace|protocol|record|object|message|service|rpc|mod|sub)[ (<]+[\\w$.:<'"]`,
  ),
  new RegExp(`^\\s*${modifiers}(?:type|data|newtype|union) +[\\w$]+.{0,200}[={(]|^type +\\w+ +(?:struct|interface)\\b`),
  /^(?:export +)?(?:const|let|var|val) +[\w$]+.{0,250}(?:=>|\bfunction\b)/,
  /^\s*(?:(?:public|private|protected|internal|static|final|override|virtual|async|synchronized) +){1,5}[\w<>[\],.?: ]{1,100}\(/,
  /^(?!(?:if|for|while|switch|return|else|do|catch)\b)[A-Za-z_][\w\s*&:<>,~]{0,150}\([^;]*$/,
  /^[\w.$-]{1,80} *(?:<-|=|:) *(?:async +)?function\b/,
  /^[\w.-]{1,80} *\(\) *\{/,
  /^\((?:defn?-?|defun|defmacro|defmulti|defmethod|defprotocol|defrecord|define)\s+\S/,
  /^[a-z][\w']{0,80} +:: /,
  /^\s*create +(?:or +replace +)?(?:temp(?:orary)? +|unique +|materialized +)*(?:table|view|function|procedure|index|trigger|type|schema|sequence)\s/i,
  /^(?:resource|data|variable|output|module|provider|locals)\s+["{]/,
];

/** Returns the finder of sections for source code: declarations, at a level by their indentation. */
export function findDeclaration(line: string): CodeSection | undefined {
  const text = line.slice(0, maxParsedChars);
  const indent = indentOf(text);
  if (indent > 12 || !declarations.some((pattern) => pattern.test(text))) return undefined;
  return { level: 1 + Math.ceil(indent / 4), text: toHeading(text) };
}

/** Returns the finder of sections for data: top-level keys that hold others, sections of INI and TOML. */
export function dataSections(file: string, lines: readonly string[]): SectionFinder {
  const ending = endingOf(file) ?? '';
  if (/^(?:toml|ini|cfg|conf|properties)$/.test(ending)) {
    return (line) => toSection(/^\[{1,2}([^[\]]{1,200})\]/.exec(line)?.[1]);
  }
  if (/^ya?ml$/.test(ending)) {
    return (line) => {
      const [, key, rest] = /^([\w"'/][^:#]{0,100}):(?:\s+(.*))?$/.exec(line.slice(0, maxParsedChars)) ?? [];
      return key === undefined ? undefined : toSection(/^(?:[|>&!#].*)?$/.test(rest ?? '') ? key.replace(/["']/g, '') : '');
    };
  }
  const keyed = lines.find((line) => /^[ \t]{1,8}"/.test(line));
  if (!/^(?:json[c5]?|ipynb|geojson)$/.test(ending) || keyed === undefined) return () => undefined;
  const indent = keyed.slice(0, keyed.indexOf('"'));
  return (line) => {
    if (!line.startsWith(`${indent}"`)) return undefined;
    const [, key, opens] = /^\s+"((?:[^"\\]|\\.){1,100})"\s*:\s*([[{]$)?/.exec(line.slice(0, maxParsedChars).trimEnd()) ?? [];
    return key === undefined ? undefined : toSection(opens === undefined ? '' : key);
  };
}

/** Returns the column at which the text of a line begins; a tab counts as four. */
export function indentOf(line: string): number {
  const blank = line.slice(0, line.length - line.trimStart().length);
  return blank.replaceAll('\t', '    ').length;
}

function toSection(text: string | undefined): CodeSection | undefined {
  return text === undefined ? undefined : { level: 1, text: text.trim() };
}

function toHeading(line: string): string {
  const text = withoutLast(line, (mark) => ' \t\r{(:='.includes(mark)).trim();
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

/** Returns a text without the characters at its end for which `isLeftOut` holds, in time proportional to their number. */
export function withoutLast(text: string, isLeftOut: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isLeftOut(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
