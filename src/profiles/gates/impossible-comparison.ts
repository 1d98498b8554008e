import type { JsonValue } from '../../core/json.ts';
import { listNames } from '../wording.ts';
import { boundsOf, constantsOf, itemOf, kindsOf, type Kind, type Shape } from './argument-schema.ts';

/** A value in a condition: what it may be, and how it reads when it comes from the arguments. */
export interface ArgumentValue {
  readonly shape: Shape;
  readonly path?: string | undefined;
}

/** A use of an argument that comes out the same for every call, or always fails. */
export interface ImpossibleUse {
  readonly fails: boolean;
  /** A phrase: "never holds: `args.currency` (a text) is compared with 3". */
  readonly message: string;
}

type Problem = ImpossibleUse | undefined;

/** Returns what is wrong with a comparison that reads an argument: its sides have nothing in common, or no order. */
export function compareProblem(operator: string, left: ArgumentValue, right: ArgumentValue): Problem {
  if (operator === 'in') return membershipProblem(left, right);
  const [argument, other] = left.path === undefined ? [right, left] : [left, right];
  if (argument.path === undefined || isNull(other)) return undefined;
  if (operator === '==' || operator === '!=') {
    const difference = differenceOf(argument, other);
    const outcome = operator === '==' ? 'never' : 'always';
    return difference === undefined ? undefined : { fails: false, message: `${outcome} holds: ${difference}` };
  }
  const kinds = kindsWithoutNull(argument);
  const others = kindsWithoutNull(other);
  const mixed = kinds !== undefined && others !== undefined && ![...kinds].some((kind) => ordered.has(kind) && others.has(kind));
  if (mixed) return { fails: true, message: `fails: ${describe(argument)} is compared with ${describe(other)}` };
  return boundProblem(left.path === undefined ? mirrored(operator) : operator, argument, other);
}

/** Returns what is wrong with an argument that is given to a function that takes other kinds of values. */
export function functionProblem(name: string, wanted: readonly Kind[], value: ArgumentValue): Problem {
  const kinds = value.path === undefined ? undefined : kindsWithoutNull(value);
  if (kinds === undefined || wanted.some((kind) => kinds.has(kind))) return undefined;
  return { fails: true, message: `fails: ${describe(value)} is given to ${name}, which takes a ${wanted.join(' or a ')}` };
}

const ordered: ReadonlySet<Kind> = new Set(['number', 'text', 'truth value']);

function mirrored(operator: string): string {
  return operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
}

function membershipProblem(item: ArgumentValue, container: ArgumentValue): Problem {
  if (item.path === undefined && container.path === undefined) return undefined;
  const kinds = kindsOf(container.shape);
  if (kinds === undefined || [...kinds].some((kind) => kind !== 'list' && kind !== 'null')) return undefined;
  const member = itemOf(container.shape);
  if (member === undefined) return undefined;
  const [argument, other] =
    item.path === undefined ? [{ shape: member, path: `${container.path}[]` }, item] : [item, { shape: member }];
  const difference = differenceOf(argument, other);
  return difference === undefined ? undefined : { fails: false, message: `never holds: ${difference}` };
}

/** Describes why two values are never equal; undefined when they may be. */
function differenceOf(argument: ArgumentValue, other: ArgumentValue): string | undefined {
  const kinds = kindsOf(argument.shape);
  const others = kindsOf(other.shape);
  const words = (): string => `${describe(argument)} is compared with ${describe(other)}`;
  if (kinds !== undefined && others !== undefined && kinds.size > 0 && ![...kinds].some((kind) => others.has(kind))) return words();
  const constants = constantsOf(argument.shape);
  const values = constantsOf(other.shape);
  if (values === undefined || values.length === 0) return undefined;
  const { least, most } = boundsOf(argument.shape);
  const isWithin = (value: JsonValue): boolean => typeof value !== 'number' || (value >= least && value <= most);
  const texts = new Set(constants?.map((value) => JSON.stringify(value)));
  const mayBe = (value: JsonValue): boolean => (constants === undefined || texts.has(JSON.stringify(value))) && isWithin(value);
  // Of a list, each value that cannot be is a separate mistake.
  return values.every(mayBe) ? undefined : words();
}

function boundProblem(operator: string, argument: ArgumentValue, other: ArgumentValue): Problem {
  const [value] = constantsOf(other.shape) ?? [];
  if (typeof value !== 'number') return undefined;
  const { least, most } = boundsOf(argument.shape);
  const never = operator.startsWith('>')
    ? most < value || (operator === '>' && most === value)
    : value < least || (operator === '<' && least === value);
  if (!never) return undefined;
  return { fails: false, message: `never holds: ${describe(argument)} is compared with ${value}` };
}

function kindsWithoutNull({ shape }: ArgumentValue): ReadonlySet<Kind> | undefined {
  const kinds = kindsOf(shape);
  return kinds === undefined ? undefined : new Set([...kinds].filter((kind) => kind !== 'null'));
}

function isNull({ shape }: ArgumentValue): boolean {
  const constants = constantsOf(shape);
  return constants?.length === 1 && constants[0] === null;
}

/** Describes a value: `args.currency` (one of 'EUR', 'USD'); a text; 'euro'. */
function describe({ shape, path }: ArgumentValue): string {
  const constants = constantsOf(shape)?.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)));
  const kinds = [...(kindsOf(shape) ?? [])].map((kind) => (kind === 'null' ? 'null' : `a ${kind}`));
  const what =
    constants === undefined
      ? `${kinds.join(' or ') || 'any value'}${boundText(shape)}`
      : constants.length === 1
        ? (constants[0] ?? '')
        : `one of ${listNames(constants)}`;
  return path === undefined ? what : `\`${path}\` (${what})`;
}

function boundText(shape: ArgumentValue['shape']): string {
  const { least, most } = boundsOf(shape);
  if (least === -Infinity && most === Infinity) return '';
  if (least === -Infinity) return ` up to ${most}`;
  return most === Infinity ? ` from ${least} on` : ` from ${least} to ${most}`;
}
