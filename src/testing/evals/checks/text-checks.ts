import { regexLibrary } from '../../../core/regex-library.ts';
import type { Template } from '../../../core/expression/template.ts';
import { nearest } from '../../expect/failure.ts';
import { type CheckVerdict, errorVerdict, type EvalCheck, type EvalSubject, textScope, verdictOf } from './eval-check.ts';

/** Every output contains the empty text, which mostly comes of a misspelt variable. */
const emptyText = errorVerdict('a text to look for is empty; is a variable of it misspelt or missing in `vars`?');

/** Returns the check that an output contains all of the texts. */
export function containsCheck(texts: readonly Template[]): EvalCheck['check'] {
  return async ({ facts }) => {
    const wanted = texts.map((text) => text.render(textScope(facts)));
    if (wanted.includes('')) return emptyText;
    const missing = wanted.find((text) => !facts.output.includes(text));
    if (missing === undefined)
      return verdictOf(true, wanted.length === 1 ? 'the output contains it' : 'the output contains all of them');
    return failed('the output does not contain this text', missing, nearest(missing, facts.output));
  };
}

/** Returns the check that an output contains none of the texts. */
export function lacksCheck(texts: readonly Template[]): EvalCheck['check'] {
  return async ({ facts }) => {
    const unwanted = texts.map((text) => text.render(textScope(facts)));
    if (unwanted.includes('')) return emptyText;
    const found = unwanted.find((text) => facts.output.includes(text));
    if (found === undefined) return verdictOf(true, 'the output does not contain it');
    return failed('the output contains this text', `no ${JSON.stringify(found)}`, nearest(found, facts.output));
  };
}

/** Returns the check that an output is a text, apart from spaces around it. */
export function equalsCheck(text: Template): EvalCheck['check'] {
  return async ({ facts }) => {
    const wanted = text.render(textScope(facts)).trim();
    if (facts.output.trim() === wanted) return verdictOf(true, 'the output equals it');
    return failed('the output is another text', wanted, facts.output.trim());
  };
}

/** Returns the check that a regular expression matches somewhere in an output. */
export function matchesCheck(pattern: string): EvalCheck['check'] {
  const compiled = regexLibrary().RE2JS.compile(pattern);
  return async ({ facts }: EvalSubject) => {
    if (compiled.matcher(facts.output).find()) return verdictOf(true, 'the output matches');
    return failed('the output does not match', pattern, facts.output);
  };
}

function failed(reason: string, expected: string, actual: string): CheckVerdict {
  return verdictOf(false, reason, { expected, actual: actual === '' ? '(no output)' : actual });
}
