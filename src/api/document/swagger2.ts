import { FORM } from '../../http/bodies/forms.ts';
import type { ApiDocument, ApiOperation, ApiPath, ApiResponse, JsonSchema, Parameter } from './model.ts';

const BASE_PATH = '/api/v1';
const JSON_TYPE = 'application/json';

/**
 * Converts a description from OpenAPI 3.1 to Swagger 2.0, which knows neither unions nor null. A value that may be null
 * gets `x-nullable`. A union of several shapes becomes the first one.
 *
 * @see https://swagger.io/specification/v2/
 */
export function toSwagger2(document: ApiDocument): object {
  const { info, components, paths } = document;
  return {
    swagger: '2.0',
    info: {
      title: info.title,
      version: info.version,
      description: info.description,
      license: { name: 'MIT' },
    },
    basePath: BASE_PATH,
    consumes: [JSON_TYPE],
    produces: [JSON_TYPE],
    securityDefinitions: {
      basic: { type: 'basic' },
      token: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`token TOKEN` or `Bearer TOKEN`',
      },
    },
    paths: mapValues(paths, convertPath, (path) => path.replace(BASE_PATH, '')),
    definitions: mapValues(components.schemas, convertSchema),
  };
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  convert: (value: From) => To,
  rename = (key: string) => key,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(key), convert(value)]));
}

function convertPath(path: ApiPath): object {
  return mapValues(path, convertOperation);
}

function convertOperation(operation: ApiOperation): object {
  const { parameters = [], requestBody, responses, ...others } = operation;
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const converted = parameters.map(convertParameter);
  if (body !== undefined) {
    const required = requestBody?.required === true;
    converted.push({ name: 'body', in: 'body', required, schema: convertSchema(body) });
  }
  const form = requestBody?.content[FORM]?.schema;
  const required = new Set<unknown>(Array.isArray(form?.required) ? form.required : []);
  converted.push(
    ...Object.entries(form?.properties ?? {}).map((part) => partParameter(part, required.has(part[0]))),
  );
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const produces = [...new Set(types)].filter((type) => type !== JSON_TYPE);
  return {
    ...others,
    ...(form === undefined ? {} : { consumes: Object.keys(requestBody?.content ?? {}) }),
    ...(produces.length === 0 ? {} : { produces }),
    ...(converted.length === 0 ? {} : { parameters: converted }),
    responses: mapValues(responses, convertResponse),
  };
}

/** A part of a form: a file or a text. */
function partParameter([name, { description, format }]: [string, JsonSchema], required: boolean): object {
  return { name, in: 'formData', required, description, type: format === 'binary' ? 'file' : 'string' };
}

function convertParameter({ schema, ...parameter }: Parameter): object {
  const { description: _description, 'x-nullable': _nullable, ...type } = convertSchema(schema);
  return { ...parameter, ...type, ...(type.type === 'array' ? { collectionFormat: 'multi' } : {}) };
}

function convertResponse({ description, content = {} }: ApiResponse): object {
  const [[type, first] = []] = Object.entries(content);
  if (first === undefined) return { description };
  // Swagger 2.0 describes bytes as a file.
  const schema = type === JSON_TYPE ? convertSchema(first.schema) : { type: 'file' };
  return { description, schema };
}

function convertSchema(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined)
    return { $ref: schema.$ref.replace('#/components/schemas/', '#/definitions/') };
  const { anyOf, items, properties, additionalProperties, type, ...others } = schema;
  if (anyOf !== undefined) return convertUnion(anyOf, others);
  if (type === 'null') return { 'x-nullable': true, ...others };
  return {
    ...others,
    ...(type === undefined ? {} : { type }),
    ...(items === undefined ? {} : { items: convertSchema(items) }),
    ...(properties === undefined ? {} : { properties: mapValues(properties, convertSchema) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: convertAdditional(additionalProperties) }),
  };
}

function convertAdditional(additional: JsonSchema | boolean): JsonSchema | boolean {
  return typeof additional === 'boolean' ? additional : convertSchema(additional);
}

function convertUnion(parts: readonly JsonSchema[], others: JsonSchema): JsonSchema {
  const values = parts.filter(({ type }) => type !== 'null');
  const nullable = values.length < parts.length ? { 'x-nullable': true } : {};
  const [first = {}] = values;
  const words = values.flatMap((part) => part.enum ?? []);
  const isEnum = values.length > 1 && values.every((part) => part.enum !== undefined);
  const converted = isEnum ? { type: first.type ?? 'string', enum: words } : convertSchema(first);
  // Other keywords beside a reference are ignored, so they go around it.
  if (converted.$ref !== undefined && values.length < parts.length)
    return { ...others, ...nullable, allOf: [converted] };
  return { ...others, ...nullable, ...converted };
}
