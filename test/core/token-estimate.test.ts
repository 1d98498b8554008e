import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentTokens, estimateTokens, messageTokens } from '../../src/core/prompt/token-estimate.ts';

const digests = (algorithm: string, encoding: 'base64' | 'hex', many: number): string =>
  Array.from({ length: many }, (_, index) => createHash(algorithm).update(`x${index}`).digest(encoding)).join('');

/** Texts with what two real tokenizers (o200k, cl100k) make of them. */
const counted: Readonly<Record<string, readonly [text: string, o200k: number, cl100k: number]>> = {
  prose: [
    'The committee met on Tuesday to consider whether the proposal should go ahead. Several members asked what it would cost, and nobody could say. It was agreed to wait until the figures were known, and to write to the people concerned in the meantime.',
    49,
    49,
  ],
  short: ['Go on.', 3, 3],
  german: [
    'Die Maschine schreibt jede Runde in das Protokoll. Jederzeit lässt sich herausfinden, woher eine Zeile kam, die das Modell gesehen hat, und warum so entschieden wurde.',
    37,
    48,
  ],
  russian: [
    'Движок записывает каждый ход в журнал. В любой момент можно узнать, откуда взялась каждая строка, которую видела модель, и почему было принято именно такое решение.',
    39,
    73,
  ],
  arabic: ['يسجل المحرك كل دور في السجل. يمكنك أن تعرف في أي وقت من أين جاء كل سطر رآه النموذج ولماذا اتخذ هذا القرار.', 34, 74],
  chinese: [
    '智能体团队的引擎将每一轮对话记录在日志中，任何时候都可以恢复运行。每一条消息从哪里来，模型看到了什么，以及为什么会这样决定，都可以查到。我们先把任务分成几个模块，再分派给不同的助手完成，最后由负责人检查结果。',
    70,
    113,
  ],
  japanese: [
    'エンジンはすべてのターンを記録します。どの行がどこから来たのかを、いつでも調べることができます。実行が中断されても、記録から再開されます。',
    54,
    66,
  ],
  korean: [
    '엔진은 모든 차례를 기록합니다. 어떤 줄이 어디에서 왔는지 언제든지 확인할 수 있습니다. 실행이 중단되어도 기록에서 다시 시작됩니다.',
    39,
    59,
  ],
  emoji: ['🎉🚀 Deploy fertig ✅ 3 Fehler ❌ behoben 🛠️ weiter geht’s 👩‍💻👨‍👩‍👧‍👦🇩🇪', 41, 56],
  html: [
    '<div class="row"><span id="a1" data-x="17">Name</span><a href="https://example.org/a/b?c=1&amp;d=2">more</a></div>\n'.repeat(
      20,
    ),
    900,
    880,
  ],
  numbers: [
    Array.from({ length: 300 }, (_, i) => `${(i * 7919) % 10007},${(((i * 104729) % 1000003) / 100).toFixed(2)}`).join('\n'),
    2338,
    2338,
  ],
  base64: [Array.from({ length: 60 }, (_, i) => createHash('sha512').update(`x${i}`).digest('base64')).join(''), 3591, 3796],
  hex: [digests('sha256', 'hex', 60), 2178, 2171],
};

/** Estimates a text from its sampled characters one by one; journals hold these figures, so they must not change. */
function estimateByCharacter(text: string): number {
  const places = 6 + (text.length >> 10);
  const stride = text.length <= places * 10 ? 10 : Math.floor(text.length / places);
  const seen: number[] = [];
  for (let start = 0; start < text.length; start += stride)
    for (let at = start; at < Math.min(text.length, start + 10); at += 1) seen.push(text.charCodeAt(at));
  if (seen.length === 0) return 0;
  const many = (holds: (code: number) => boolean): number => seen.filter(holds).length;
  const [ascii, narrow] = [many((code) => code < 0x80), many((code) => code >= 0x80 && code < 0x800)];
  const words = many((code) => code === 0x20 || (code >= 0x61 && code <= 0x7a));
  const charsPerToken = Math.min(4, Math.max(1.5, (4.2 * words) / (ascii || 1)));
  const tokens = ascii / charsPerToken + narrow * 0.55 + (seen.length - ascii - narrow);
  return Math.ceil((tokens * text.length) / seen.length);
}

describe('token estimates', () => {
  it('each text has the estimate that older journals record, whatever was estimated before', () => {
    const unit = fc.constantFrom(
      'a',
      'z',
      '{',
      '`',
      ' ',
      '\0',
      '\n',
      '\x7f',
      '\x80',
      'é',
      '\u07ff',
      '\u0800',
      '中',
      '\ud83d',
      '😀',
      '0',
    );
    const texts = fc.tuple(fc.array(fc.string({ unit, maxLength: 90 }), { maxLength: 4 }), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(texts, ([parts, times]) => {
        for (const text of [...parts, ...parts, '', parts.join('').repeat(times)])
          expect(estimateTokens(text)).toBe(estimateByCharacter(text));
      }),
    );
  });

  for (const [kind, [text, ...counts]] of Object.entries(counted)) {
    it(`${kind}: never far below what a tokenizer counts, and not far above`, () => {
      const estimate = estimateTokens(text);
      expect(estimate).toBeGreaterThanOrEqual(Math.max(...counts) * 0.7);
      expect(estimate).toBeLessThanOrEqual(Math.max(...counts) * 1.6 + 2);
    });
  }

  it('a long text costs no more to estimate than its sample, and counts as the sum of its parts would', () => {
    const page = counted['prose']?.[0] ?? '';
    const whole = estimateTokens(page.repeat(500));
    expect(whole / (estimateTokens(page) * 500)).toBeGreaterThan(0.8);
    expect(whole / (estimateTokens(page) * 500)).toBeLessThan(1.25);
  });

  it('a text is never estimated at less than a fifth of a token per character, nor at more than one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const estimate = estimateTokens(text);
        expect(estimate).toBeGreaterThanOrEqual(text.length / 5);
        expect(estimate).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });

  it('files count by their kind, whatever their bytes', () => {
    const image = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'A'.repeat(400_000) } };
    const scan = { ...image, mediaType: 'application/pdf' };
    expect(contentTokens([image])).toBe(1_600);
    expect(contentTokens([scan])).toBe(10_000);
    expect(contentTokens([{ ...scan, data: { type: 'url', url: 'https://example.org/a.pdf' } }])).toBe(2_000);
    expect(contentTokens([{ ...scan, mediaType: 'text/plain', data: { type: 'text', text: 'Go on.' } }])).toBe(3);
  });

  it('a message counts its parts, its calls with their arguments, and what a provider adds around it', () => {
    expect(messageTokens({ role: 'user', content: [{ type: 'text', text: 'Go on.' }] })).toBe(7);
    const call = { type: 'tool-call' as const, toolCallId: 'c00000001', toolName: 'search', input: { query: 'tea' } };
    const result = { type: 'tool-result' as const, toolCallId: 'c00000001', toolName: 'search' };
    expect(messageTokens({ role: 'assistant', content: [call] })).toBeGreaterThan(15);
    expect(
      messageTokens({ role: 'tool', content: [{ ...result, output: { type: 'text', value: 'word '.repeat(100) } }] }),
    ).toBeGreaterThan(100);
  });
});
