import { CadreError } from '../../core/error.ts';

/** Elements a drawn chart may consist of; each of them only draws. */
const elements: ReadonlySet<string> = new Set(
  'svg g a defs path rect line circle text tspan title desc clipPath linearGradient radialGradient stop pattern'.split(' '),
);

/** Attributes with text that no program reads as a reference or as CSS. */
const plainAttributes: ReadonlySet<string> = new Set(
  'xmlns xmlns:xlink version id class role d points viewBox aria-label aria-hidden aria-description aria-roledescription'.split(
    ' ',
  ),
);

/** Attributes of drawing, whose values are numbers, keywords, colours, fonts and `url(#id)`. */
const drawingAttributes: ReadonlySet<string> = new Set(
  (
    'x y x1 y1 x2 y2 dx dy r fr cx cy fx fy rx ry width height offset transform gradientUnits gradientTransform patternUnits ' +
    'patternTransform preserveAspectRatio spreadMethod clip-path clip-rule fill fill-opacity fill-rule stroke stroke-opacity ' +
    'stroke-width stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stop-color stop-opacity ' +
    'opacity display visibility font font-family font-size font-style font-variant font-weight text-anchor dominant-baseline ' +
    'vector-effect alignment-baseline letter-spacing dir direction pointer-events cursor style'
  ).split(' '),
);

/** Functions in values of drawing; the others may load something (`image-set`, `src`, `attr`) or are unknown. */
const functions: ReadonlySet<string> = new Set(
  'rgb rgba hsl hsla hwb lab lch oklab oklch translate rotate scale skewx skewy matrix'.split(' '),
);

const tag = /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/y;
const attribute = /\s+([\w:.-]+)="([^"<]*)"/gy;
const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A drawing that refers to nothing outside of itself. */
export interface ClosedSvg {
  readonly svg: string;
  /** Attributes that were left out, as `name="value"`, each once. */
  readonly removed: readonly string[];
}

/**
 * Keeps of an SVG text what draws and refers to nothing outside: known elements, known attributes, `url(#id)` and links to `#`.
 * Leaves out every other attribute, since a program that opens the picture would follow it.
 *
 * @throws CadreError `TOOL_FAILED` for an element that is not in the list, or text that is not well-formed
 */
export function closeSvg(svg: string): ClosedSvg {
  const removed = new Set<string>();
  let closed = '';
  let at = 0;
  while (at < svg.length) {
    const next = svg.indexOf('<', at);
    const end = next === -1 ? svg.length : next;
    closed += svg.slice(at, end);
    if (next === -1) break;
    tag.lastIndex = next;
    const found = tag.exec(svg);
    const [whole = '', slash = '', name = '', attributes = '', empty = ''] = found ?? [];
    if (!elements.has(name)) throw notClosed(svg.slice(next, next + 60));
    closed += `<${slash}${name}${keepSafe(attributes, removed)}${empty}>`;
    at = next + whole.length;
  }
  return { svg: closed, removed: [...removed] };
}

function keepSafe(attributes: string, removed: Set<string>): string {
  let kept = '';
  for (const [whole, name = '', value = ''] of attributes.matchAll(attribute)) {
    if (isSafe(name, decode(value))) kept += whole;
    else removed.add(whole.trim().slice(0, 200));
  }
  return kept;
}

function isSafe(name: string, value: string): boolean {
  if (plainAttributes.has(name)) return true;
  if (name === 'href' || name === 'xlink:href') return value.startsWith('#');
  return drawingAttributes.has(name) && isDrawing(value);
}

/** True when a value holds no address and calls only functions that draw; an escape or comment of CSS could hide another. */
function isDrawing(value: string): boolean {
  if (/[\\@]|\/[*/]/.test(value)) return false;
  const pieces = value.toLowerCase().split('(');
  return pieces.slice(1).every((piece, index) => {
    const name =
      (pieces[index] ?? '')
        .trimEnd()
        .split(/[\s,;:)]/)
        .at(-1) ?? '';
    const isOwn = name === 'url' && /^\s*(["']?)#[\w.-]+\1\s*$/.test(piece.split(')', 1)[0] ?? '');
    return isOwn || functions.has(name);
  });
}

/** Reads the references of XML; an unknown one becomes a backslash, which no value of drawing may hold. */
function decode(value: string): string {
  return value.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));?/gi, (_, hex?: string, decimal?: string, name?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (name === undefined) return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\\';
    return references[name] ?? '\\';
  });
}

function notClosed(begin: string): CadreError {
  return new CadreError(
    'TOOL_FAILED',
    `The spec cannot be drawn: its picture holds ${JSON.stringify(begin)}, and charts consist of shapes and text only (no images, scripts, styles or foreign content).`,
  );
}
