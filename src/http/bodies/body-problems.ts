import type { TSchema } from 'typebox';

/** What a validator found in a body. */
interface BodyProblem {
  readonly keyword: string;
  /** where the shape is, as a JSON pointer after `#` */
  readonly schemaPath: string;
  /** where the value is, as a JSON pointer */
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** A part of a shape, as far as it says which values fit. */
interface Shape {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
}

/** Returns `[Field]: Rule` for a body that does not fit. The field has the name that the documents of the API use. */
export function describeProblems(schema: TSchema, problems: readonly BodyProblem[]): string {
  const [first] = problems;
  return first === undefined ? '[]: Invalid' : describe(schema, closest(first, problems));
}

/**
 * A value that fits no alternative has problems with each of them, and one with all of them. The closest is a problem
 * inside of the value, because the value has the type of that alternative, and otherwise the one with all of them.
 */
function closest(first: BodyProblem, problems: readonly BodyProblem[]): BodyProblem {
  const field = first.instancePath;
  const all = problems.findLast(({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === field);
  if (all === undefined) return first;
  const isInside = ({ keyword, instancePath }: BodyProblem) =>
    instancePath.startsWith(`${field}/`) || (keyword === 'required' && instancePath === field);
  return problems.slice(0, problems.indexOf(all)).find(isInside) ?? all;
}

function describe(schema: TSchema, problem: BodyProblem): string {
  const { requiredProperties } = problem.params as { requiredProperties?: readonly string[] };
  const [missing] = requiredProperties ?? [];
  if (missing !== undefined) return `[${fieldName(missing)}]: Required`;
  const field = problem.instancePath.split('/').filter((part) => part !== '' && !/^\d+$/.test(part));
  return `[${field.map(fieldName).join('.')}]: ${ruleOf(schema, problem)}`;
}

const RULES_OF_TYPES: ReadonlySet<string> = new Set(['type', 'format', 'const', 'anyOf']);

function ruleOf(schema: TSchema, { keyword, schemaPath, message }: BodyProblem): string {
  const shape = RULES_OF_TYPES.has(keyword) ? shapeAt(schema, schemaPath) : undefined;
  if (shape === undefined) return message;
  const alternatives = alternativesOf(shape);
  const words = alternatives.flatMap((each) => ('const' in each && each.const !== '' ? [each.const] : []));
  if (words.length > 0) return `must be one of ${words.join(', ')}`;
  const kinds = alternatives.flatMap((each) => kindOf(each) ?? []);
  if (kinds.length === 0) return message;
  const isNullable = kinds.includes('null');
  const others = kinds.filter((kind) => kind !== 'null').join(' or ');
  return `must be ${isNullable && others !== '' ? `${others}, or null` : kinds.join(' or ')}`;
}

function alternativesOf(shape: Shape): readonly Shape[] {
  return shape.anyOf?.flatMap(alternativesOf) ?? [shape];
}

function kindOf({ type, format }: Shape): string | undefined {
  return format === 'date-time' ? 'an RFC 3339 date and time' : type;
}

function shapeAt(schema: TSchema, pointer: string): Shape | undefined {
  let part: unknown = schema;
  for (const key of pointer.split('/').slice(1))
    part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
  return part as Shape | undefined;
}

function fieldName(key: string): string {
  return key
    .split('_')
    .map((word) =>
      ['sha', 'url', 'id'].includes(word)
        ? word.toUpperCase()
        : `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
    )
    .join('');
}
