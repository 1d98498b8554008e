import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeControls, jsonText } from '../../src/cli/terminal/json-text.ts';

it('F61: JSON on a terminal holds nothing that a terminal acts on, and reads the same', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\u001b', '\u009b', '\u007f', '\u202e', '\u2066', '"', '\\'), fc.string()),
  });
  // After an object with the key "\\", JSON.parse of V8 13.6 reads the key "\\u2066" of another one as that.
  const key = text.filter((name) => !name.includes('\\'));
  fc.assert(
    fc.property(fc.dictionary(key, text), fc.constantFrom(undefined, 2), (value, indent) => {
      const written = jsonText(value, indent);
      expect(written.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
      // The same for text that is JSON already, such as a recording or a bundle.
      expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(JSON.parse(written));
    }),
  );
});
