import { isJsonObject, type JsonValue } from '../../core/json.ts';

/** Language of an argument that is code. */
export type CodeLanguage = 'sql' | 'shell' | 'python' | 'javascript' | 'code';

/** Media types that a schema may declare as `contentMediaType` or `format`. */
const mediaTypes: readonly (readonly [RegExp, CodeLanguage])[] = [
  [/\bsql\b/u, 'sql'],
  [/\b(?:x-)?(?:sh|shell|shellscript|bash)\b/u, 'shell'],
  [/\b(?:x-)?python\b/u, 'python'],
  [/\b(?:javascript|ecmascript|typescript)\b/u, 'javascript'],
];

const sqlName = /^(?:sql|statements?|sql_?query|query_?sql)$/u;
const shellName = /^(?:command|command_?line|cmd|shell|bash|shell_?command)$/u;
const codeName = /^(?:code|source|source_?code|script|program|python|javascript|js|expression)$/u;
const sqlText =
  /^\s*(?:--[^\n]*\n\s*)*(?:select|insert|update|delete|with|create|alter|drop|truncate|merge|replace|grant|revoke|pragma)\b/iu;
const sqlTool = /(?:^|[_\W])(?:sql|database|db|sqlite|postgres|mysql)(?:$|[_\W])/u;

/** Argument of a call. */
export interface NamedValue {
  readonly tool: string;
  readonly name: string;
  readonly text: string;
  /** The argument's own JSON Schema. */
  readonly schema: JsonValue | undefined;
}

/** Returns the language of an argument that is code: as its schema declares, or by the usual names; undefined for other text. */
export function codeLanguage({ tool, name, text, schema }: NamedValue): CodeLanguage | undefined {
  // One of several words is no code, whatever it is called.
  if (isJsonObject(schema) && (schema['enum'] !== undefined || schema['const'] !== undefined)) return undefined;
  const declared = isJsonObject(schema) ? [schema['contentMediaType'], schema['format']] : [];
  for (const type of declared)
    if (typeof type === 'string')
      for (const [pattern, language] of mediaTypes) if (pattern.test(type.toLowerCase())) return language;
  const plain = name.toLowerCase();
  const about = tool.toLowerCase();
  if (sqlName.test(plain) || (sqlText.test(text) && (plain === 'query' || sqlTool.test(about)))) return 'sql';
  if (shellName.test(plain)) return 'shell';
  if (!codeName.test(plain)) return undefined;
  const of = `${plain} ${about}`;
  if (/python|(?:^|_)py(?:$|_)/u.test(of)) return 'python';
  if (/javascript|typescript|(?:^|[_\s])(?:js|node)(?:$|[_\s])/u.test(of)) return 'javascript';
  return /shell|bash|(?:^|_)sh(?:$|_)/u.test(of) ? 'shell' : 'code';
}
