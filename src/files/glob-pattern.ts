import { regexLibrary } from '../core/regex-library.ts';
import { CadreError } from '../core/error.ts';

/** True when a clean relative path matches a glob. */
export type PathTest = (path: string) => boolean;

const maxGlobChars = 500;

/**
 * Compiles a glob: `*` and `?` within a name, `**` across folders, `[a-z]`, `{one,two}`. A glob without `/` matches names anywhere below;
 * one with `/` matches whole paths. Case-insensitive. Matching is linear in the length of the path for every glob.
 *
 * @throws CadreError `TOOL_FAILED` for a glob that is too long or has unclosed brackets
 */
export function compileGlob(glob: string): PathTest {
  if (glob.length > maxGlobChars) throw badGlob(glob, `it is longer than ${maxGlobChars} characters`);
  const whole = glob.replace(/^\.\//, '').replace(/(?<!\/)\/+$/, '');
  const source = whole.includes('/') ? toRegExp(whole.replace(/^\//, '')) : `(?:.*/)?${toRegExp(whole)}`;
  try {
    const { RE2JS } = regexLibrary();
    const regex = RE2JS.compile(`^${source}$`, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
    return (path) => regex.matches(path);
  } catch {
    throw badGlob(glob, 'its brackets do not close');
  }
}

/** Compiles globs that also match everything below the folders they match. */
export function compileGlobs(globs: readonly string[]): PathTest {
  const tests = globs.flatMap((glob) => [compileGlob(glob), compileGlob(`${glob.includes('/') ? '' : '**/'}${glob}/**`)]);
  return (path) => tests.some((test) => test(path));
}

function toRegExp(glob: string): string {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob.charAt(at);
    if (char === '*') {
      const isDouble = glob.charAt(at + 1) === '*';
      if (!isDouble) source += '[^/]*';
      else if (glob.charAt(at + 2) === '/') source += '(?:.*/)?';
      else source += '.*';
      if (isDouble) at += glob.charAt(at + 2) === '/' ? 2 : 1;
    } else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end === -1) source += '\\[';
      else {
        source += `[${glob
          .slice(at + 1, end)
          .replace(/^!/, '^')
          .replace(/[\\[&~|]/g, '\\$&')}]`;
        at = end;
      }
    } else if (char === '{') {
      source += '(?:';
      depth += 1;
    } else if (char === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (char === ',' && depth > 0) source += '|';
    else source += char.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  }
  return source;
}

function badGlob(glob: string, why: string): CadreError {
  return new CadreError(
    'TOOL_FAILED',
    `The glob ${JSON.stringify(glob.slice(0, 100))} cannot be used: ${why}. Write one like "*.ts" or "src/**/*.{js,ts}".`,
  );
}
