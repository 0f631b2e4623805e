import { rightsFor, securityOf } from './access.ts';
import { ERROR_SCHEMAS, errorResponses } from './errors.ts';
import type {
  ApiDocument,
  ApiOperation,
  ApiPath,
  ApiResponse,
  DescribedRoute,
  JsonSchema,
  Parameter,
} from './model.ts';
import { PARAMETERS } from './parameters.ts';

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Success, without a body',
  205: 'Success; read your lists again',
};

/** What the generator says of a response without a description. */
const UNSTATED = 'Default Response';

/**
 * Adds to a document what follows from the routes: who may do an operation, its errors, descriptions of its parameters,
 * and named shapes of bodies.
 *
 * @param routes by the id of the operation
 */
export function complete(document: ApiDocument, routes: ReadonlyMap<string, DescribedRoute>): ApiDocument {
  const bodies = new Map<string, JsonSchema>();
  const paths = Object.entries(document.paths).map(([url, path]) => {
    // A HEAD is like its GET.
    const { head: _head, ...methods } = path;
    const operations = Object.entries(methods).map(([method, operation]) => {
      const route = routes.get(operation.operationId);
      if (route === undefined) throw new Error(`no route has the operation ${operation.operationId}`);
      return [method, completeOperation(operation, route, bodies)] as const;
    });
    return [url, Object.fromEntries(operations) as ApiPath] as const;
  });
  const schemas = { ...document.components.schemas, ...Object.fromEntries(bodies), ...ERROR_SCHEMAS };
  return {
    ...document,
    components: { ...document.components, schemas },
    paths: Object.fromEntries(paths),
  };
}

function completeOperation(
  operation: ApiOperation,
  route: DescribedRoute,
  bodies: Map<string, JsonSchema>,
): ApiOperation {
  const stated = (operation.parameters ?? []).map((each) => withDescription(each, operation.operationId));
  const asked = {
    hasBody: operation.requestBody !== undefined,
    hasPath: stated.some((each) => each.in === 'path'),
  };
  const parameters = [...stated, ...impliedHeaders(operation, route)];
  return {
    ...withNamedBody(operation, route.bodyName, bodies),
    description: rightsFor(route.action),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...successes(operation, route), ...errorResponses(route, asked) },
    security: securityOf(route.action),
    'x-action': route.action.name,
  };
}

/** Headers that the responses of an operation imply. */
function impliedHeaders(
  operation: ApiOperation,
  { failures, streams }: DescribedRoute,
): readonly Parameter[] {
  const names = [
    ...('304' in operation.responses ? ['If-None-Match'] : []),
    ...(failures.includes('precondition_failed') ? ['If-Match'] : []),
    ...(streams === undefined ? [] : ['Last-Event-ID']),
  ];
  return names.map((name) => ({
    name,
    in: 'header',
    required: false,
    description: PARAMETERS.get(name) ?? '',
    schema: { type: 'string' },
  }));
}

function withDescription(parameter: Parameter, operationId: string): Parameter {
  const own = PARAMETERS.get(`${operationId} ${parameter.name}`);
  const usual = (parameter.schema.description as string | undefined) ?? PARAMETERS.get(parameter.name);
  const description = own ?? usual;
  if (description === undefined) throw new Error(`the parameter ${parameter.name} has no description`);
  return { ...parameter, description };
}

/** Moves the shape of a body to the shared ones, so that generated clients name its type. */
function withNamedBody(
  operation: ApiOperation,
  name: string | undefined,
  bodies: Map<string, JsonSchema>,
): ApiOperation {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (name === undefined || schema === undefined) return operation;
  bodies.set(name, schema);
  const { required: names, 'x-required': isRequired = false } = schema;
  const required = isRequired === true || (Array.isArray(names) && names.length > 0);
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
  return { ...operation, requestBody: { required, content } };
}

function successes({ responses }: ApiOperation, { streams }: DescribedRoute): Record<string, ApiResponse> {
  const described = Object.entries(responses).map(([status, response]) => {
    const isStated = response.description !== UNSTATED;
    const description = isStated ? response.description : (SUCCESSES[status] ?? UNSTATED);
    const stream =
      streams === undefined || status !== '200'
        ? {}
        : { content: { ...response.content, [streams]: { schema: { type: 'string' } } } };
    return [status, { ...response, ...stream, description }] as const;
  });
  return Object.fromEntries(described);
}
